#pragma once
/// @file
/// Volume, surface, Euler number and mean intercept lengths from counts of pairs and cubes of neighbouring voxels.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::morphometry {

/// Steps from a voxel to 13 of its 26 neighbours, along edges, face diagonals and space diagonals. The steps to the other 13
/// neighbours have opposite directions.
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
  /// Numbers of voxel pairs along each of lattice_steps: `mixed` counts pairs with exactly one solid voxel, `pairs` counts
  /// all pairs.
  std::array<std::int64_t, 13> mixed{}, pairs{};
  /// Euler number of the solid. Solid voxels are closed cubes, connected by faces, edges and corners; the background is
  /// connected by faces. The space outside of the image is background.
  std::int64_t euler = 0;
  /// Eight times the contribution of the inner corners to the Euler number. Inner corners are surrounded by eight voxels of
  /// the image. If the image shows a part of a larger solid, this contribution divided by the volume around the inner
  /// corners is an unbiased estimate of the solid's Euler number per volume. @cite [OdgaardGundersen1993]
  std::int64_t inner_eighths = 0;
  double inner_euler() const { return static_cast<double>(inner_eighths) / 8; }
};

/// @param solid 1 or 0, shape of where.owned @collective on where.comm @cost one exchange of ghosts, 4 bytes per voxel
lattice_counts count_lattice(const grid::block& where, const std::vector<float>& solid);

/// Number of intersections of a line with the surface, divided by the length of the line [1/mm], for lines along each of
/// lattice_steps.
std::array<double, 13> intercepts_per_mm(const lattice_counts& counts, const vector3& spacing_mm);

/// For each of lattice_steps, the fraction of all directions that are closest to this step.
std::array<double, 13> direction_weights(const vector3& spacing_mm);

/// Surface area [mm2] by Crofton's formula with 13 directions. @cite [LeglandKieuDevaux2007]
double surface_mm2(const lattice_counts& counts, index3 domain, const vector3& spacing_mm);

/// Axes of the ellipsoid of mean intercept lengths of the solid. A least-squares fit of the inverse squares of the lengths
/// determines the ellipsoid.
/// @cite [HarriganMann1984]
struct fabric {
  std::array<double, 3> length_mm{};                     ///< half axes: mean intercept lengths in descending order
  std::array<std::array<double, 3>, 3> direction_zyx{};  ///< direction of each axis (z, y, x); its sign is arbitrary
  double anisotropy() const { return length_mm[0] / length_mm[2]; }
};

/// Fit the fabric ellipsoid; empty if there is none, for example for a solid without a surface.
std::optional<fabric> fabric_of(const lattice_counts& counts, index3 domain, const vector3& spacing_mm);

}  // namespace osteon::morphometry
