#pragma once
/// @file
/// How thick a phase is: the largest ball within it that holds a voxel.
#include <array>
#include <cstdint>
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::morphometry {

/// Of each voxel of a phase the squared radius of the largest ball that has it inside and no voxel of the other phase, where
/// balls have their centres in those of voxels. @cite [HildebrandRuegsegger1997]
///
/// Balls that lie in one of a neighbour are left out; the others are laid down from the largest on, row by row, and
/// whatever is covered is passed over.
/// @param squared distance_map() of the phase @param spacing edges of a voxel
/// @return 0 outside of the phase; shape of where.owned, squares of the edge along x; the same bits for any number of ranks
/// @collective on where.comm @cost memory 12 bytes a voxel of the block with as many voxels around as the largest radius,
/// and
///       24 bytes a ball; time O(balls radius^2)
std::vector<float> local_thickness(const grid::block& where, const std::vector<float>& squared, const vector3& spacing);

/// Statistics over the voxels of a phase.
struct thickness_statistics {
  std::int64_t voxels = 0;
  double mean = 0, deviation = 0, p10 = 0, median = 0, p90 = 0, max = 0;
};

/// Of twice the radii [mm], as BoneJ has them: to the centres of the other phase's voxels. The surface lies half an edge
/// before those, and a ball whose centre is that of a voxel may miss as much, so plates come out 0 to 1 voxel too thick,
/// rods and balls up to 1 too thin.
/// @return the same on all ranks, and for any number of them
/// @collective on where.comm @cost O(ranks and different radii) on rank 0
thickness_statistics statistics_of(const grid::block& where, const std::vector<float>& squared_radii,
                                   const vector3& spacing_mm);

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
