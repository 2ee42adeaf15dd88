#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>

#include <fmt/format.h>

namespace osteon::physics {

voxel::run_set fluid_cells(const voxel::run_set& active, std::span<const material_number> label,
                           std::span<const material_number> fluid) {
  if (label.size() != at(active.size()))
    throw usage_error(
        fmt::format("{} labels for {} active voxels; pass one label per active voxel", label.size(), active.size()));
  std::vector<bool> flows(most_materials + 1);
  for (const material_number f : fluid) flows[f] = true;
  const index3 shape = active.shape();
  std::vector<voxel::run> runs;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      std::int32_t end = -1;  // end of the last run of this row
      const auto add = [&](std::int32_t x, std::int32_t length) {
        if (length == 0) return;
        if (end == x)
          runs.back().length += length;
        else
          runs.push_back({static_cast<std::int32_t>(z), static_cast<std::int32_t>(y), x, length, 0});
        end = x + length;
      };
      std::int32_t empty_from = 0;
      for (const voxel::run& r : active.row(z, y)) {
        if (flows[0]) add(empty_from, r.x - empty_from);
        for (std::int32_t n = 0; n < r.length; ++n)
          if (flows[label[at(r.first + n)]]) add(r.x + n, 1);
        empty_from = r.x + r.length;
      }
      if (flows[0]) add(empty_from, static_cast<std::int32_t>(shape.x) - empty_from);
    }
  return {shape, std::move(runs)};
}

}  // namespace osteon::physics
