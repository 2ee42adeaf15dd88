#pragma once
/// @file
/// Connected parts of the solid.
#include <array>
#include <cstdint>
#include <osteon/voxel/image_runs.hpp>
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
  std::array<std::int32_t, 3> low{}, high{};  ///< first and last plane along each axis (z, y, x)
  bool touches(index3 shape, int axis, bool high_face) const {
    const auto a = static_cast<std::size_t>(axis);
    return high_face ? high[a] == shape[axis] - 1 : low[a] == 0;
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
components find_components(const image_runs& cells, const std::array<bool, 3>& periodic = {},
                           connectivity by = connectivity::faces);

/// Number of the part of each run. Parts are numbered from 0 in the order of their first voxel.
struct numbered_parts {
  std::int32_t count = 0;
  std::vector<std::int32_t> part_of_run;
};
numbered_parts number_parts(const image_runs& cells, const std::array<bool, 3>& periodic, connectivity by);

}  // namespace osteon::voxel
