#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <memory>
#include <osteon/bench/bench.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::app {

namespace {

struct bench_io_options {
  bench::io_options measurement;
  int ranks = 2;
  std::string json;
};

void print_table(const nlohmann::ordered_json& answer) {
  fmt::print("{} elements, {} nodes, {} ranks, files on {}\n\n{:<13} {:<34} {:>10} {:>9} {:>9} {:>9}\n",
             answer["elements"].get<std::int64_t>(), answer["nodes"].get<std::int64_t>(), answer["ranks"].get<int>(),
             answer["file_system"].get<std::string>(), "", "", "MB", "CPU s", "s", "MB/s");
  for (const auto& row : answer["rows"]) {
    const double megabytes = 1e-6 * row["bytes"].get<double>(), wall = row["wall_seconds"].get<double>();
    fmt::print("{:<13} {:<34} {:10.2f} {:9.3f} {:9.3f} {:9.0f}\n", row["operation"].get<std::string>(),
               row["way"].get<std::string>(), megabytes, row["cpu_seconds"].get<double>(), wall, megabytes / wall);
  }
}

int bench_io(const bench_io_options& options, const std::vector<std::string>& arguments) {
  if (!under_launcher()) return start_ranks(options.ranks, 1, arguments);
  return on_all_ranks([&](MPI_Comm comm) {
    const auto answer = bench::measure_io(comm, options.measurement);
    if (comm::rank(comm) != 0) return;
    if (options.json != "-") print_table(answer);
    write_json(options.json, answer);
  });
}

}  // namespace

void add_bench_io(registry& commands) {
  const auto o = std::make_shared<bench_io_options>();
  command c = commands.add("bench", "io", "Measure reading of models and writing of results",
                           [o, arguments = commands.arguments()] { return bench_io(*o, arguments); });
  c.add_option("-n,--ranks", o->ranks, "MPI processes (default: 2)").positive();
  c.add_option("--image", o->measurement.image, "Materials (npy of bytes, 0 is empty; default: synthetic porous cube)");
  c.add_option("--size", o->measurement.edge, "Edge of the synthetic cube in voxels (default: 128)").between(8, 2048);
  c.add_option("--folder", o->measurement.folder,
               "Folder of the temporary files, whose file system is measured (default: working directory)");
  c.add_option("--repeat", o->measurement.repetitions, "Repetitions; the fastest is reported (default: 3)").positive();
  add_repeatable(c, "--only", o->measurement.only,
                 "Measure only formats with this word, such as `none` or `raw`; may be repeated");
  add_json(c, o->json);
  c.footer(
      "`synced` files are flushed to disk, as results are; text is not. MB/s refer to the bytes in the file.\n\nExamples:\n "
      " osteon bench io\n  osteon bench io -n 4 --size 256 --folder /scratch --json io.json");
}

}  // namespace osteon::app
