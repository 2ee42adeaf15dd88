#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <memory>
#include <osteon/bench/bench.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::app {

namespace {

int bench_render(const bench::render_options& options, const std::string& target) {
  return on_all_ranks([&](MPI_Comm comm) {
    const auto result = bench::render(comm, options);
    if (comm::rank(comm) != 0) return;
    write_json(target, result);
    if (target == "-") return;
    fmt::print("{}^3 voxels, {} x {} pixels, step {} voxels\n", options.edge, options.pixels, options.pixels,
               options.step_voxels);
    for (const auto& row : result["rows"])
      fmt::print("{:<18} {:7.1f} ms, {:7.1f} CPU ms per frame, {:6.1f} M samples, {:6.0f} M samples/s\n",
                 row["name"].get<std::string>(), row["milliseconds_per_frame"].get<double>(),
                 row["cpu_milliseconds_per_frame"].get<double>(), 1e-6 * row["samples"].get<double>(),
                 row["Msamples_per_s"].get<double>());
    fmt::print("interpolation from the first-level cache: {:.0f} M samples/s\n",
               result["limit_Msamples_per_s"].get<double>());
  });
}

}  // namespace

void add_bench_render(registry& commands) {
  struct options {
    bench::render_options casting;
    std::string json;
  };
  const auto o = std::make_shared<options>();
  bench::render_options& casting = o->casting;
  command c = commands.add("bench", "render", "Measure the ray caster in samples per second",
                           [o] { return bench_render(o->casting, o->json); });
  c.add_option("--edge", casting.edge, "Edge of the cube in voxels (default 256)");
  c.add_option("--pixels", casting.pixels, "Width and height of the picture (default 512)");
  c.add_option("--step", casting.step_voxels, "Step length in voxels (default 1)");
  c.add_option("--frames", casting.frames, "Frames per scene; the fastest is reported (default 3)");
  c.add_option("--pictures", casting.pictures, "Folder for the pictures and the volume (npy)");
  add_json(c, o->json);
  c.footer("Examples:\n  OMP_NUM_THREADS=1 osteon bench render\n  mpirun -n 4 osteon bench render --edge 512");
}

}  // namespace osteon::app
