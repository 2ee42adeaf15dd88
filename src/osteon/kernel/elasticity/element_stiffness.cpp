#include <osteon/kernel/elasticity/element_stiffness.hpp>

#include <cmath>

namespace osteon::kernel {

matrix24 element_stiffness(vector3 spacing_mm, lame material) {
  matrix24 stiffness{};
  const double volume = spacing_mm.z * spacing_mm.y * spacing_mm.x;
  const double offset = 0.5 / std::sqrt(3.0);
  for (int point = 0; point < 8; ++point) {
    // Corner and point numbers have bit 2 for z, bit 1 for y and bit 0 for x. Axis c is therefore bit 2 - c.
    double gradient[8][3];
    for (int a = 0; a < 8; ++a)
      for (int c = 0; c < 3; ++c) {
        double product = 1;
        for (int d = 0; d < 3; ++d) {
          const int bit = 2 - d;
          const double position = 0.5 + ((point >> bit & 1) ? offset : -offset);
          const bool upper = a >> bit & 1;
          product *= d == c ? (upper ? 1 : -1) / spacing_mm[d] : (upper ? position : 1 - position);
        }
        gradient[a][c] = product;
      }
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b) {
        const double dot =
            gradient[a][0] * gradient[b][0] + gradient[a][1] * gradient[b][1] + gradient[a][2] * gradient[b][2];
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            stiffness[static_cast<std::size_t>((3 * a + i) * 24 + 3 * b + j)] +=
                volume / 8 *
                (material.lambda * gradient[a][i] * gradient[b][j] + material.mu * gradient[a][j] * gradient[b][i] +
                 (i == j ? material.mu * dot : 0));
      }
  }
  return stiffness;
}

}  // namespace osteon::kernel
