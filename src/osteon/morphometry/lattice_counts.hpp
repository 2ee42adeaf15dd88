#pragma once
/// @file
/// What pairs and cubes of neighbouring voxels tell of a solid: volume, surface, Euler number, mean intercepts.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::morphometry {

/// From a voxel to a half of its 26 neighbours: edges, diagonals of faces, of cubes. The other half lies opposite.
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
  /// Of the pairs along each of lattice_steps those of which one is solid, and all.
  std::array<std::int64_t, 13> mixed{}, pairs{};
  /// Euler number of the solid, whose voxels are closed cubes: joined by faces, edges and corners; of what surrounds it, the
  /// parts are joined by faces. Outside of the image nothing is solid.
  std::int64_t euler = 0;
  /// Eight times what the corners add to it that have eight voxels of the image around them: of the solid as a part of a
  /// larger one, which the image's faces do not close. Over the volume around these corners it is that of the larger one in
  /// the mean over all places that the image may have been cut out at. @cite [OdgaardGundersen1993]
  std::int64_t inner_eighths = 0;
  double inner_euler() const { return static_cast<double>(inner_eighths) / 8; }
};

/// @param solid 1 or 0, shape of where.owned @collective on where.comm @cost one exchange of ghosts, 4 bytes a voxel
lattice_counts count_lattice(const grid::block& where, const std::vector<float>& solid);

/// How often a line meets the surface [1/mm] along each of lattice_steps.
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
