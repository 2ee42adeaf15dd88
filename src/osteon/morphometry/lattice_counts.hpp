#pragma once
/// @file
/// Volume, surface, Euler number and mean intercepts from counts of pairs and cubes of neighbouring voxels.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::morphometry {

/// Steps from a voxel to one half of its 26 neighbours: edges, diagonals of faces, of cubes. The other half is opposite.
inline constexpr std::array<std::array<int, 3>, 13> lattice_steps{{{1, 0, 0},
                                                                   {0, 1, 0},
                                                                   {0, 0, 1},
                                                                   {0, 1, 1},
                                                                   {0, 1, -1},
                                                                   {1, 0, 1},
                                                                   {1, 0, -1},
                                                                   {1, 1, 0},
                                                                   {1, -1, 0},
                                                                   {1, 1, 1},
                                                                   {1, 1, -1},
                                                                   {1, -1, 1},
                                                                   {1, -1, -1}}};

/// Counts over the whole image, in whole numbers: the same for any number of ranks.
struct lattice_counts {
  std::int64_t voxels = 0;  ///< of the solid
  /// Numbers of pairs along each of lattice_steps: with exactly one solid voxel, and all.
  std::array<std::int64_t, 13> mixed{}, pairs{};
  /// Euler number of the solid, whose voxels are closed cubes: joined by faces, edges and corners; the background is joined
  /// by faces. There is no solid outside of the image.
  std::int64_t euler = 0;
  /// Eight times the contribution of corners with eight voxels of the image around them: for a solid that is part of a
  /// larger one and not closed by the faces of the image. Per volume around these corners it is an unbiased estimate for the
  /// larger solid. @cite [OdgaardGundersen1993]
  std::int64_t inner_eighths = 0;
  double inner_euler() const { return static_cast<double>(inner_eighths) / 8; }
};

/// @param solid 1 or 0, shape of where.owned @collective on where.comm @cost one exchange of ghosts, 4 bytes a voxel
lattice_counts count_lattice(const grid::block& where, const std::vector<float>& solid);

/// Intersections of a line with the surface per length [1/mm] along each of lattice_steps.
std::array<double, 13> intercepts_per_mm(const lattice_counts& counts, const vector3& spacing_mm);

/// Share of all directions that are nearest to each of lattice_steps.
std::array<double, 13> direction_weights(const vector3& spacing_mm);

/// Surface [mm2] by Crofton's formula from the 13 directions. @cite [LeglandKieuDevaux2007]
double surface_mm2(const lattice_counts& counts, index3 domain, const vector3& spacing_mm);

/// Axes of the ellipsoid that the mean intercept lengths of the solid make, by least squares of their inverse squares.
/// @cite [HarriganMann1984]
struct fabric {
  std::array<double, 3> length_mm{};                     ///< half axes: mean intercept lengths, the longest first
  std::array<std::array<double, 3>, 3> direction_zyx{};  ///< of each, z, y, x; its sign has no meaning
  double anisotropy() const { return length_mm[0] / length_mm[2]; }
};

/// None if the lengths make no ellipsoid, as of a solid without a surface.
std::optional<fabric> fabric_of(const lattice_counts& counts, index3 domain, const vector3& spacing_mm);

}  // namespace osteon::morphometry
