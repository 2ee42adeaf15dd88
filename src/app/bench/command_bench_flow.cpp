#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/bench/flow.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::app {

namespace {

struct bench_flow_options {
  bench::flow_options measurement;
  std::string along = "z", around = "periodic";
  int ranks = 1, threads = 1;
  std::string json;
};

void print_permeabilities(const nlohmann::ordered_json& answer) {
  fmt::print("triad {:.1f} GB/s\n\n{:<16} {:>9} {:>7} {:>6} {:>7} {:>7} {:>9} {:>8}  {}\n",
             answer["triad_GB_per_s"].get<double>(), "", "fluid", "CPU s", "its", "ns/it", "B/voxel", "K ns", "of triad",
             "permeability, voxel2");
  for (const auto& row : answer["rows"]) {
    std::string file = row["image"].get<std::string>();
    file = file.substr(file.find_last_of('/') + 1);
    fmt::print("{:<16} {:9} {:7.2f} {:6} {:7.0f} {:7.0f} {:9.2f} {:7.0f}% ", file, row["fluid_voxels"].get<std::int64_t>(),
               row["cpu_seconds"].get<double>(), row["iterations"].get<int>(),
               row["ns_per_voxel_and_iteration"].get<double>(), row["bytes_per_voxel"].get<double>(),
               row["product_ns_per_voxel"].get<double>(), 100 * row["product_share_of_triad"].get<double>());
    for (const auto& d : row["directions"])
      fmt::print(" {}: {:.6g} ({:.6g} to {:.6g}{})", d["along"].get<std::string>(), d["permeability_voxel2"].get<double>(),
                 d["low"].get<double>(), d["high"].get<double>(), d["converged"].get<bool>() ? "" : ", not converged");
    fmt::print("\n");
  }
}

int bench_flow(const bench_flow_options& options, const std::vector<std::string>& arguments) {
  if (!under_launcher()) return start_ranks(options.ranks, options.threads, arguments);
  return on_all_ranks([&](MPI_Comm comm) {
    bench::flow_options measurement = options.measurement;
    measurement.directions.clear();
    for (const char letter : options.along) {
      const auto place = std::string("zyx").find(letter);
      if (place == std::string::npos)
        throw usage_error(fmt::format("--along '{}': must be one to three of z, y, x, such as z or zyx", options.along));
      measurement.directions.push_back(static_cast<axis>(place));
    }
    if (options.around == "mirrored")
      measurement.surroundings = physics::flow_surroundings::mirrored;
    else if (options.around == "closed")
      measurement.surroundings = physics::flow_surroundings::closed;
    else if (options.around != "periodic")
      throw usage_error(fmt::format("--around '{}': must be periodic, mirrored or closed", options.around));
    const auto answer = bench::measure_flow(comm, measurement);
    if (comm::rank(comm) != 0) return;
    if (options.json != "-") print_permeabilities(answer);
    write_json(options.json, answer);
  });
}

}  // namespace

void add_bench_flow(registry& commands) {
  const auto o = std::make_shared<bench_flow_options>();
  command c = commands.add("bench", "flow", "Measure CPU time, iterations and memory of permeability",
                           [o, arguments = commands.arguments()] { return bench_flow(*o, arguments); });
  add_repeatable(c, "--image", o->measurement.images, "Image (npy of bytes, 0 is fluid); may be repeated");
  c.add_option("-n,--ranks", o->ranks, "MPI processes (default: 1)").positive();
  c.add_option("--threads", o->threads, "Threads per process (default: 1)").positive();
  c.add_option("--along", o->along, "Flow directions, such as z or zyx (default: z)");
  c.add_option("--around", o->around, "Side walls: periodic, mirrored or closed (default: periodic)");
  c.add_option("--tolerance", o->measurement.solver.permeability_tolerance, "Tolerance of the permeability (default: 1e-4)");
  c.add_option("--residual", o->measurement.solver.residual_tolerance,
               "Tolerance of the residual (default: 1, not applied)");
  c.add_option("--repeat", o->measurement.repetitions, "Repetitions; the fastest is reported (default: 3)").positive();
  add_json(c, o->json);
  c.footer(
      "CPU seconds are the sum over ranks of the solve, without reading the image. The triad column is the bandwidth of y = "
      "K x, the product with the Stokes operator, relative to the triad.\n\nExamples:\n  osteon bench flow --image "
      "spheres.npy\n  osteon bench flow --image rock.npy --along zyx --residual 1e-6");
}

}  // namespace osteon::app
