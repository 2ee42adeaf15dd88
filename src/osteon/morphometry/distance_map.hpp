#pragma once
/// @file
/// Exact Euclidean distances over ranks.
#include <osteon/grid/block.hpp>
#include <osteon/grid/box_tree.hpp>
#include <vector>

namespace osteon::morphometry {

/// Value of the squared distance if the image has no voxel of the other phase.
inline constexpr float beyond = 1e30F;

/// Squared distance of each voxel centre to the nearest centre of a voxel with phase 0, in units of the squared edge along x
/// (integers for cubic voxels). The distance is 0 in voxels with phase 0. If the image has no voxel with phase 0, all
/// distances are `beyond`. Voxels outside of the image are ignored.
///
/// The algorithm computes lower envelopes of parabolas axis by axis. @cite [FelzenszwalbHuttenlocher2012]
/// @param phase zero or non-zero, shape of where.owned @param spacing edges of a voxel, in any unit
/// @return shape of where.owned; bitwise independent of the number of ranks
/// @throws usage_error on all ranks if there are more ranks than lines of voxels
/// @collective on where.comm @cost O(voxels); four messages of 4 bytes per voxel with each rank that has lines crossing
/// lines of this rank;
///       temporary memory of 12 bytes per voxel
std::vector<float> distance_map(const grid::block& where, const std::vector<float>& phase, const vector3& spacing);

/// Boxes of nearly equal size that contain complete lines along one axis.
/// @param along axis: 0 z, 1 y, 2 x
/// @throws usage_error if there are more ranks than lines @collective local
grid::box_tree pencils(index3 domain, int along, int ranks);

}  // namespace osteon::morphometry
