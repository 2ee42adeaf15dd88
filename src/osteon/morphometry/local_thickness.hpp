#pragma once
/// @file
/// Local thickness of a phase: the diameter of the largest ball in the phase that contains a voxel.
#include <array>
#include <cstdint>
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::morphometry {

/// For each voxel of a phase, the squared radius of the largest ball that contains this voxel and no voxel of the other
/// phase. Balls are centred at voxel centres. @cite [HildebrandRuegsegger1997]
///
/// Balls inside the ball of a neighbour are omitted. All other balls are processed in descending order of their radii, row
/// by row; covered voxels are skipped.
/// @param squared distance_map() of the phase @param spacing voxel edges
/// @return shape of where.owned, in units of the squared edge along x; 0 outside of the phase. The result is bitwise
/// independent of the number of ranks.
/// @collective on where.comm @cost memory: 12 bytes per voxel of the block extended by the largest radius, and
///       24 bytes per ball; time: O(balls radius^2)
std::vector<float> local_thickness(const grid::block& where, const std::vector<float>& squared, const vector3& spacing);

/// Statistics over the voxels of a phase.
struct thickness_statistics {
  std::int64_t voxels = 0;
  double mean = 0, deviation = 0, p10 = 0, median = 0, p90 = 0, max = 0;
};

/// Statistics of twice the radii [mm]. As in BoneJ, radii are distances to voxel centres of the other phase. The surface is
/// closer than these centres by half an edge. On the other hand, the restriction of ball centres to voxel centres may reduce
/// a radius by half an edge. Therefore the thickness of plates is 0 to 1 voxel too large, and the thickness of rods and
/// balls is up to 1 voxel too small.
/// @return equal on all ranks and for any number of ranks
/// @collective on where.comm @cost O(ranks + different radii) on rank 0
thickness_statistics statistics_of(const grid::block& where, const std::vector<float>& squared_radii,
                                   const vector3& spacing_mm);

/// A value per face of the image: low and high face across z, y, x.
using image_faces = std::array<bool, 6>;
inline constexpr image_faces all_faces{true, true, true, true, true, true};

/// For each voxel, the squared radius of the largest ball in the phase that can move from outside the image to a position
/// with its centre at the voxel. The centre moves between voxels with a common face. The value is 0 if there is no such
/// ball.
/// @param squared distance_map() of the phase @param from faces through which balls may enter
/// @return shape of where.owned; bitwise independent of the number of ranks
/// @collective on where.comm @cost O(voxels log(radii)), and an exchange of ghosts for each crossing of a path to another
/// rank; 8 bytes per voxel
std::vector<float> access_map(const grid::block& where, const std::vector<float>& squared, const image_faces& from);

/// Largest squared radius of a ball that can pass from the low to the high face, along each axis; 0 if there is no path.
/// @param squared distance_map() of the phase @collective on where.comm @cost three access_map()
std::array<float, 3> passing_radii(const grid::block& where, const std::vector<float>& squared);

}  // namespace osteon::morphometry
