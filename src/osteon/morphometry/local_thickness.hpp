#pragma once
/// @file
/// Local thickness of a phase. The local thickness of a voxel is the diameter of the largest ball in the phase that contains
/// the voxel.
#include <array>
#include <cstdint>
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::morphometry {

/// For each voxel of a phase, the squared radius of the largest ball that contains the voxel and no voxel of the other
/// phase. Centres of balls are centres of voxels. @cite [HildebrandRuegsegger1997]
///
/// A ball inside the ball of a neighbouring voxel is omitted. All other balls are processed row by row, in descending order
/// of their radii. Voxels that a previous ball has covered are skipped.
/// @param squared distance_map() of the phase @param spacing edges of a voxel
/// @return squared radii with the shape of where.owned, in units of the squared edge along x; 0 outside of the phase. The
/// result is bitwise independent of the number of ranks.
/// @collective on where.comm @cost memory: 12 bytes per voxel of the block extended by the largest radius, and
///       24 bytes per ball; time: O(balls radius^2)
std::vector<float> local_thickness(const grid::block& where, const std::vector<float>& squared, const vector3& spacing);

/// Statistics of the thickness over the voxels of a phase.
struct thickness_statistics {
  std::int64_t voxels = 0;
  double mean = 0, deviation = 0, p10 = 0, median = 0, p90 = 0, max = 0;
};

/// Statistics of twice the radii [mm]. As in BoneJ, a radius is a distance to the centre of a voxel of the other phase. The
/// surface is nearer than this centre by half an edge. Conversely, the centre of a ball is restricted to centres of voxels.
/// This restriction may reduce a radius by half an edge. The thickness of plates is therefore too large by 0 to 1 voxel. The
/// thickness of rods and balls is too small by up to 1 voxel.
/// @return statistics that are equal on all ranks, and independent of the number of ranks
/// @collective on where.comm @cost O(ranks + number of different radii) on rank 0
thickness_statistics statistics_of(const grid::block& where, const std::vector<float>& squared_radii,
                                   const vector3& spacing_mm);

/// A value for each face of the image: the low face and the high face across z, y and x.
using image_faces = std::array<bool, 6>;
inline constexpr image_faces all_faces{true, true, true, true, true, true};

/// For each voxel, the squared radius of the largest ball that can move inside the phase from outside the image to the
/// voxel. The centre of the ball moves between voxels with a common face, and ends at the voxel. If no ball can reach the
/// voxel, the value is 0.
/// @param squared distance_map() of the phase @param from faces through which balls may enter
/// @return squared radii with the shape of where.owned; bitwise independent of the number of ranks
/// @collective on where.comm @cost O(voxels log(radii)); one exchange of ghosts for each crossing of a path to another rank;
/// 8 bytes per voxel
std::vector<float> access_map(const grid::block& where, const std::vector<float>& squared, const image_faces& from);

/// For each axis, the largest squared radius of a ball that can pass from the low face to the high face. Without a path, the
/// value is 0.
/// @param squared distance_map() of the phase @collective on where.comm @cost three calls of access_map()
std::array<float, 3> passing_radii(const grid::block& where, const std::vector<float>& squared);

}  // namespace osteon::morphometry
