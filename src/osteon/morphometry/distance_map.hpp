#pragma once
/// @file
/// Exact Euclidean distances in an image that is distributed over ranks.
#include <osteon/grid/block.hpp>
#include <osteon/grid/box_tree.hpp>
#include <vector>

namespace osteon::morphometry {

/// Value of the squared distance in images without a voxel of the other phase.
inline constexpr float beyond = 1e30F;

/// Squared distance from the centre of each voxel to the nearest centre of a voxel with phase 0. The unit is the squared
/// edge along x. For cubic voxels, the distances are therefore integers. The distance is 0 in voxels with phase 0. If the
/// image has no voxel with phase 0, all distances are `beyond`. Voxels outside of the image are ignored.
///
/// For each axis, the algorithm computes lower envelopes of parabolas. @cite [FelzenszwalbHuttenlocher2012]
/// @param phase zero or non-zero, shape of where.owned @param spacing edges of a voxel in any unit
/// @return distances with the shape of where.owned; bitwise independent of the number of ranks
/// @throws usage_error on all ranks if there are more ranks than lines of voxels
/// @collective on where.comm @cost O(voxels); four messages of 4 bytes per voxel between ranks with crossing lines;
///       temporary memory of 12 bytes per voxel
std::vector<float> distance_map(const grid::block& where, const std::vector<float>& phase, const vector3& spacing);

/// Boxes of nearly equal size. The boxes contain complete lines along one axis.
/// @param along axis of the lines @throws usage_error if there are more ranks than lines @collective local 0 z, 1 y, 2 x
grid::box_tree pencils(index3 domain, int along, int ranks);

}  // namespace osteon::morphometry
