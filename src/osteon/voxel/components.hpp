#pragma once
/// @file
/// Connected parts of the solid. Voxels are connected through faces, because forces and heat are not carried by edges
/// and corners.
#include <array>
#include <cstdint>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::voxel {

/// A 6-connected part.
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
components find_components(const run_set& cells, const std::array<bool, 3>& periodic = {});

}  // namespace osteon::voxel
