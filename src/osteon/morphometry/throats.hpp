#pragma once
/// @file
/// How wide a ball can come into a phase from outside, as mercury does: the throats on the way.
#include <array>
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::morphometry {

/// Faces of the image: low and high across z, y, x.
using image_faces = std::array<bool, 6>;
inline constexpr image_faces all_faces{true, true, true, true, true, true};

/// Of each voxel the squared radius of the widest ball within the phase whose centre can come there from outside, from voxel
/// to voxel by faces. 0: none can.
/// @param squared distance_map() of the phase @param from faces by which it may come in
/// @return shape of where.owned; the same bits for any number of ranks
/// @collective on where.comm @cost O(voxels log(radii)) and an exchange of ghosts each time that a way crosses to another
/// rank; 8 bytes a voxel
std::vector<float> access_map(const grid::block& where, const std::vector<float>& squared, const image_faces& from);

/// The largest squared radius of a ball that passes from the low to the high face, along each axis; 0: none does.
/// @param squared distance_map() of the phase @collective on where.comm @cost three access_map()
std::array<float, 3> passing_radii(const grid::block& where, const std::vector<float>& squared);

}  // namespace osteon::morphometry
