#pragma once
/// @file
/// Connected parts of the solid.
#include <array>
#include <cstdint>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::voxel {

/// By what voxels are connected.
enum class connectivity {
  faces,    ///< 6 neighbours: an edge or a corner carries no heat, and no moment
  corners,  ///< 26 neighbours: all that share a node, and so a displacement
};

/// A connected part.
struct component {
  std::int64_t voxels = 0;
  index3 low, high;  ///< first and last plane that it reaches on each axis
  bool touches(index3 shape, int axis, bool high_face) const {
    return high_face ? high[axis] == shape[axis] - 1 : low[axis] == 0;
  }
};

struct components {
  std::vector<component> parts;           ///< largest first; equal sizes in the order of their first voxel
  std::vector<std::int32_t> part_of_run;  ///< index into `parts`, per run
};

/// Find the parts by union-find over runs. @cost O(runs) memory, almost linear time
/// @param periodic by axis z, y, x: the last plane is the neighbour of the first one
components find_components(const run_set& cells, const std::array<bool, 3>& periodic = {},
                           connectivity by = connectivity::faces);

}  // namespace osteon::voxel
