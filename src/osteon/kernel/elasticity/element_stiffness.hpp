#pragma once
/// @file
/// Stiffness of an eight-node brick as a full matrix. Tests compare the faster kernels with this matrix.
#include <array>
#include <osteon/base/box.hpp>

namespace osteon::kernel {

/// Lame constants of an isotropic material [MPa].
struct lame {
  double lambda = 0, mu = 0;
};

/// @param youngs_modulus E > 0 @param poisson_ratio in (-1, 0.5)
inline lame lame_of(double youngs_modulus, double poisson_ratio) {
  return {youngs_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio)),
          youngs_modulus / (2 * (1 + poisson_ratio))};
}

/// A 24 x 24 matrix, row-major. Degree of freedom 3 a + c is component c (in the order z, y, x) of corner a = 4 (upper in z)
/// + 2 (upper in y) + (upper in x).
using matrix24 = std::array<double, 24 * 24>;

/// Stiffness of a trilinear brick [N/mm], integrated with 2 x 2 x 2 Gauss points. The integral is exact for a box.
matrix24 element_stiffness(vector3 spacing_mm, lame material);

}  // namespace osteon::kernel
