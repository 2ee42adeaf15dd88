#pragma once
/// @file
/// Exact Euclidean distances over ranks.
#include <osteon/grid/block.hpp>
#include <osteon/grid/box_tree.hpp>
#include <vector>

namespace osteon::morphometry {

/// What no voxel of the other phase is near to.
inline constexpr float beyond = 1e30F;

/// Squared distance of each voxel's centre to the nearest centre of a voxel that is 0, in squares of the edge along x; where
/// voxels are cubes a whole number. 0 in voxels that are 0; `beyond` if there are none. Outside of the image there is none.
///
/// Axis by axis, as the lower envelope of parabolas. @cite [FelzenszwalbHuttenlocher2012]
/// @param phase 0 or not, shape of where.owned @param spacing edges of a voxel, in any unit
/// @return shape of where.owned, the same bits for any number of ranks
/// @throws usage_error on all ranks if there are more ranks than lines of voxels
/// @collective on where.comm @cost O(voxels); four messages with each rank whose lines cross the own ones, of 4 bytes a
/// voxel;
///       12 bytes a voxel for the time being
std::vector<float> distance_map(const grid::block& where, const std::vector<float>& phase, const vector3& spacing);

/// Boxes that reach from end to end along one axis, of about equal size.
/// @param along 0 z, 1 y, 2 x
/// @throws usage_error if there are more ranks than lines @collective local
grid::box_tree pencils(index3 domain, int along, int ranks);

}  // namespace osteon::morphometry
