#include <osteon/bench/bench.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/npy.hpp>
#include <osteon/kernel/rays/ray_segments.hpp>
#include <osteon/render/picture.hpp>

namespace osteon::bench {

using json = nlohmann::ordered_json;

namespace {

// Waves and a bump. The values are between 0 and 1 in the whole cube.
std::vector<float> wavy_field(const box3& part, index3 domain) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(part.volume()));
  const auto scaled = [](std::int64_t i, std::int64_t n) { return 2 * static_cast<double>(i) / static_cast<double>(n) - 1; };
  for (std::int64_t k = part.begin.z; k < part.end.z; ++k)
    for (std::int64_t j = part.begin.y; j < part.end.y; ++j)
      for (std::int64_t i = part.begin.x; i < part.end.x; ++i) {
        const double z = scaled(k, domain.z), y = scaled(j, domain.y), x = scaled(i, domain.x);
        values.push_back(static_cast<float>(0.5 + 0.25 * std::sin(9 * x + 3 * y) * std::cos(7 * y) * std::sin(8 * z) +
                                            0.25 * std::exp(-3 * (x * x + y * y + z * z))));
      }
  return values;
}

void save(const std::string& path, const std::vector<float>& values, index3 shape) {
  voxel::image array{shape, voxel::scalar::f4, std::vector<std::byte>(values.size() * sizeof(float))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  io::write_npy(path, array);
}

// Rate in samples/s of pure interpolation, in a volume that fits into the L1 cache.
double interpolation_limit() {
  constexpr std::int64_t edge = 16;
  const index3 domain{edge, edge, edge};
  std::vector<float> values = wavy_field({{}, domain}, domain);
  const kernel::ray_segments segments(domain, {{}, domain}, {{}, domain}, 1, 8, false);
  const kernel::ray along{{4, 5, 3}, {0.5, 0.4, 0.7}, 0, 10};
  const auto part = segments.of(along);
  kernel::eight_places around;
  std::int64_t shared;
  segments.place(part, 0, segments.beginning(part, 0), around, shared);
  constexpr int rounds = 1 << 20;
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 3; ++repeat) {
    kernel::float8 sum{};
    const double start = cpu_seconds();
    for (int i = 0; i < rounds; ++i) sum += around.value(values.data() + shared + (i & 1), segments.across());
    best = std::min(best, cpu_seconds() - start);
    volatile float kept = sum[0];  // this variable prevents the compiler from removing the sums
    (void)kept;
  }
  return 8.0 * rounds / best;
}

}  // namespace

json render(MPI_Comm comm, const render_options& options) {
  comm::collectively(comm, [&] {
    if (options.edge < 16 || options.edge > 2048 || options.frames < 1 || options.frames > 1000)
      throw usage_error(fmt::format("cube of {} voxels, {} frames: must be 16 to 2048 voxels and 1 to 1000 frames",
                                    options.edge, options.frames));
  });
  const index3 domain{options.edge, options.edge, options.edge};
  const std::vector<std::int64_t> even(static_cast<std::size_t>(options.edge), 1);
  const auto where = grid::make_block(comm, domain, even);
  grid::ghosted_field<float> field;
  comm::collectively(comm, [&] {
    field.present = grid::with_ghosts(where, osteon::render::ghost_depth(options.step_voxels));
    field.values = wavy_field(field.present, domain);
  });
  const bool root = comm::rank(comm) == 0;
  if (!options.pictures.empty() && comm::size(comm) == 1) save(options.pictures + "/volume.npy", field.values, domain);

  json rows = json::array();
  for (const bool opaque : {false, true})
    for (const bool shaded : {false, true}) {
      osteon::render::scene scene;
      const double edge_mm = 1.0;
      scene.spacing_mm = {edge_mm, edge_mm, edge_mm};
      scene.width = scene.height = options.pixels;
      scene.step_voxels = options.step_voxels;
      scene.view.zoom = 1.2;
      // Opacities are converted to opacities per voxel edge. The opacity of a control point applies to a hundredth of the
      // diagonal.
      const double path = std::sqrt(3.0) * options.edge / 100;
      const auto of_edge = [&](double opacity) { return static_cast<float>(1 - std::pow(1 - opacity, path)); };
      const double opacity = opaque ? 0.2 : 0.004;
      scene.layers = {{&field, {{0.0, {0, 0.5F, 1}, of_edge(opacity)}, {1.0, {1, 0.5F, 0}, of_edge(opacity)}}, shaded, 1.0}};
      double best = std::numeric_limits<double>::infinity(), cpu = best;
      osteon::render::image picture;
      const double at_start = cpu_seconds();
      osteon::render::prepared kept(where, scene);
      const double preparation = cpu_seconds() - at_start;
      for (int frame = 0; frame < options.frames; ++frame) {
        const stopwatch watch;
        const double start = cpu_seconds();
        picture = osteon::render::render(where, scene, kept);
        best = std::min(best, watch.seconds());
        cpu = std::min(cpu, cpu_seconds() - start);
      }
      const std::string name = fmt::format("{}{}", opaque ? "opaque" : "translucent", shaded ? ", lit" : "");
      rows.push_back({{"name", name},
                      {"samples", picture.samples},
                      {"milliseconds_per_frame", 1e3 * best},
                      {"cpu_milliseconds_per_frame", 1e3 * cpu},
                      {"cpu_milliseconds_of_preparation", 1e3 * preparation},
                      {"Msamples_per_s", 1e-6 * static_cast<double>(picture.samples) / cpu}});
      if (root && !options.pictures.empty())
        save(fmt::format("{}/{}{}.npy", options.pictures, opaque ? "opaque" : "translucent", shaded ? "_lit" : ""),
             picture.rgba, {picture.height, picture.width, 4});
    }
  return {{"schema", "osteon.bench.render/1"},
          {"edge", options.edge},
          {"pixels", options.pixels},
          {"step_voxels", options.step_voxels},
          {"ranks", comm::size(comm)},
          {"limit_Msamples_per_s", 1e-6 * interpolation_limit()},
          {"rows", rows}};
}

}  // namespace osteon::bench
