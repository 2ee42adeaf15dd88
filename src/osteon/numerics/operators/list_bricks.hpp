#pragma once
/// @file
/// Conversion of cell and node sets to the lists of the brick kernel.
#include <osteon/kernel/elasticity/hex8.hpp>
#include <osteon/voxel/run_set.hpp>
#include <span>
#include <vector>

namespace osteon::numerics {

struct brick_lists {
  std::vector<kernel::hex8_run> runs;          ///< in the order of the cells' runs
  std::vector<std::size_t> run_plane_begin;    ///< first run of each plane, and the end
  std::vector<std::int32_t> node_plane_begin;  ///< first node of each plane of nodes, and the end

  /// @param material per cell; borrowed
  kernel::hex8_bricks view(const material_number* material) const {
    return {runs, run_plane_begin, node_plane_begin, material};
  }
};

/// @param nodes a superset of the cells' corners @param material per cell
inline brick_lists list_bricks(const voxel::run_set& cells, const voxel::run_set& nodes,
                               std::span<const material_number> material) {
  brick_lists lists;
  for (std::int64_t z = 0; z < cells.shape().z; ++z) {
    lists.run_plane_begin.push_back(lists.runs.size());
    for (const voxel::run& r : cells.plane(z)) {
      kernel::hex8_run run{
          {}, r.first, r.length, kernel::common_material(&material[static_cast<std::size_t>(r.first)], r.length)};
      for (int row = 0; row < 4; ++row) run.node[row] = nodes.find(r.z + row / 2, r.y + row % 2, r.x);
      lists.runs.push_back(run);
    }
  }
  lists.run_plane_begin.push_back(lists.runs.size());
  for (std::int64_t z = 0; z < nodes.shape().z; ++z) lists.node_plane_begin.push_back(nodes.plane_begin(z));
  lists.node_plane_begin.push_back(nodes.size());
  return lists;
}

}  // namespace osteon::numerics
