#pragma once
/// @file
/// Strain and stress at a point: symmetric 3 x 3 tensors, their principal values and directions.
#include <array>
#include <cmath>
#include <osteon/kernel/elasticity/element_stiffness.hpp>

namespace osteon::kernel {

/// xx, yy, zz, xy, yz, xz. The shears of a strain are engineering shears, twice the tensor's entries.
using voigt = std::array<double, 6>;

/// Stress of an isotropic material [MPa].
inline voigt stress_of(const voigt& strain, lame m) {
  const double pressure = m.lambda * (strain[0] + strain[1] + strain[2]);
  return {pressure + 2 * m.mu * strain[0],
          pressure + 2 * m.mu * strain[1],
          pressure + 2 * m.mu * strain[2],
          m.mu * strain[3],
          m.mu * strain[4],
          m.mu * strain[5]};
}

/// Von Mises stress. @param stress shears are tensor entries; a strain with engineering shears is not valid
inline double von_mises(const voigt& stress) {
  const double a = stress[0] - stress[1], b = stress[1] - stress[2], c = stress[2] - stress[0];
  const double shear = stress[3] * stress[3] + stress[4] * stress[4] + stress[5] * stress[5];
  return std::sqrt((a * a + b * b + c * c) / 2 + 3 * shear);
}

/// Tensor from a Voigt form with engineering shears.
inline voigt without_engineering_shears(const voigt& strain) {
  return {strain[0], strain[1], strain[2], strain[3] / 2, strain[4] / 2, strain[5] / 2};
}

struct principal_axes {
  std::array<double, 3> value;                    ///< descending
  std::array<std::array<double, 3>, 3> direction; /**< unit vectors (x, y, z), one per value, at right angles; the sign,
                                                     which has no meaning, makes the largest component positive */
};

/// Principal values and directions by Jacobi rotations. Equal values need no special treatment, and the directions are
/// orthogonal except for rounding.
/// @param tensor without engineering shears
/// @cite [GolubVanLoan], section 8.5
principal_axes principal(const voigt& tensor);

}  // namespace osteon::kernel
