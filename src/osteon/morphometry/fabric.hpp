#pragma once
/// @file
/// Which way a structure runs: the ellipsoid of its mean intercept lengths.
#include <array>
#include <optional>
#include <osteon/morphometry/lattice_counts.hpp>

namespace osteon::morphometry {

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
