#pragma once
/// @file
/// Connected parts of the solid.
#include <array>
#include <cstdint>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::voxel {

/// Connectivity of voxels.
enum class connectivity {
  faces,    ///< 6 neighbours; edges and corners transmit neither heat nor moments
  corners,  ///< 26 neighbours: all voxels that share a node, and thus a displacement
};

/// A connected part.
struct component {
  std::int64_t voxels = 0;
  index3 low, high;  ///< first and last plane along each axis
  bool touches(index3 shape, int axis, bool high_face) const {
    return high_face ? high[axis] == shape[axis] - 1 : low[axis] == 0;
  }
};

struct components {
  std::vector<component> parts;           ///< in descending size; equal sizes in the order of their first voxel
  std::vector<std::int32_t> part_of_run;  ///< index into `parts`, per run
};

/// Find the parts by union-find over runs. @cost O(runs) memory; almost O(runs) time
/// @param periodic by axis z, y, x: the last plane is adjacent to the first plane
components find_components(const run_set& cells, const std::array<bool, 3>& periodic = {},
                           connectivity by = connectivity::faces);

}  // namespace osteon::voxel
