#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/json_output.hpp>
#include <app/mpi_session.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::app {

int bench_render(const bench::render_options& options, const std::string& target) {
  return on_all_ranks([&](MPI_Comm comm) {
    const auto result = bench::render(comm, options);
    if (comm::rank(comm) != 0) return;
    write_json(target, result);
    if (target == "-") return;
    fmt::print("{}^3 voxels, {} x {} pixels, step {} voxels\n", options.edge, options.pixels, options.pixels,
               options.step_voxels);
    for (const auto& row : result["rows"])
      fmt::print("{:<18} {:7.1f} ms, {:7.1f} CPU ms a frame, {:6.1f} M samples, {:6.0f} M samples/s\n",
                 row["name"].get<std::string>(), row["milliseconds_per_frame"].get<double>(),
                 row["cpu_milliseconds_per_frame"].get<double>(), 1e-6 * row["samples"].get<double>(),
                 row["Msamples_per_s"].get<double>());
    fmt::print("interpolation alone, voxels in the first cache: {:.0f} M samples/s\n",
               result["limit_Msamples_per_s"].get<double>());
  });
}

}  // namespace osteon::app
