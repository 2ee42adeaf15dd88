#pragma once
/// @file
/// Volume, surface, Euler number and mean intercept lengths. These quantities are computed from counts of pairs and cubes of
/// neighbouring voxels.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::morphometry {

/// Steps from a voxel to 13 of its 26 neighbours. The steps follow edges, face diagonals and space diagonals. The steps to
/// the other 13 neighbours have opposite directions.
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

/// Counts over the whole image. The counts are integers and independent of the number of ranks.
struct lattice_counts {
  std::int64_t voxels = 0;  ///< number of solid voxels
  /// Numbers of voxel pairs along each of lattice_steps. `mixed` counts pairs with exactly one solid voxel, and `pairs`
  /// counts all pairs.
  std::array<std::int64_t, 13> mixed{}, pairs{};
  /// Euler number of the solid phase. Solid voxels are closed cubes, which are connected by faces, edges and corners. The
  /// background is connected by faces. The space outside of the image is background.
  std::int64_t euler = 0;
  /// Contribution of the inner corners to the Euler number, multiplied by eight. An inner corner is surrounded by eight
  /// voxels of the image. The image may show a part of a larger solid. This contribution divided by the volume around the
  /// inner corners is then an unbiased estimate of the Euler number per volume. @cite [OdgaardGundersen1993]
  std::int64_t inner_eighths = 0;
  double inner_euler() const { return static_cast<double>(inner_eighths) / 8; }
};

/// @param solid 1 for solid, 0 for background, shape of where.owned @collective on where.comm @cost one exchange of ghosts;
/// 4 bytes per voxel
lattice_counts count_lattice(const grid::block& where, const std::vector<float>& solid);

/// Number of intersections between a line and the surface, divided by the length of the line [1/mm]. The result has a value
/// for lines along each of lattice_steps.
std::array<double, 13> intercepts_per_mm(const lattice_counts& counts, const vector3& spacing_mm);

/// Fraction of all directions that are closest to each of lattice_steps.
std::array<double, 13> direction_weights(const vector3& spacing_mm);

/// Surface area [mm2] by the formula of Crofton with 13 directions. @cite [LeglandKieuDevaux2007]
double surface_mm2(const lattice_counts& counts, index3 domain, const vector3& spacing_mm);

/// Axes of an ellipsoid that describes the mean intercept lengths of the solid. The ellipsoid is a least-squares fit to the
/// inverse squares of the lengths.
/// @cite [HarriganMann1984]
struct fabric {
  std::array<double, 3> length_mm{};  ///< half axes, which are mean intercept lengths in descending order
  /// direction of each axis (z, y, x); the sign of a direction is arbitrary
  std::array<std::array<double, 3>, 3> direction_zyx{};
  double anisotropy() const { return length_mm[0] / length_mm[2]; }
};

/// Fit the fabric ellipsoid. The result is empty if no ellipsoid exists, for example for a solid without a surface.
std::optional<fabric> fabric_of(const lattice_counts& counts, index3 domain, const vector3& spacing_mm);

}  // namespace osteon::morphometry
