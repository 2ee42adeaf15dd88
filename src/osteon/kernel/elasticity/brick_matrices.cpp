#include <osteon/kernel/elasticity/brick_matrices.hpp>

namespace osteon::kernel {

// P is a product over the axes. Let P0 and P1 be the parent's corners along an axis and M = (1 - m) P0 + m P1. A lower child
// has the corners P0 and M; an upper child has the corners M and P1.
void restrict_to_parent(std::array<double, 576>& matrix, int octant, const std::array<double, 3>& middle) {
  for (std::size_t d = 0; d < 3; ++d) {
    const int bit = 4 >> d;
    const bool upper = octant & bit;
    const double to_high = middle[d], to_low = 1 - middle[d];
    const double own_weight = upper ? to_low : to_high, moved_weight = upper ? to_high : to_low;
    for (int a = 0; a < 8; ++a) {
      if (a & bit) continue;
      const int keep = upper ? a | bit : a, between = upper ? a : a | bit;
      for (int c = 0; c < 3; ++c) {
        double* kept = &matrix[static_cast<std::size_t>((3 * keep + c) * 24)];
        double* divided = &matrix[static_cast<std::size_t>((3 * between + c) * 24)];
        for (int j = 0; j < 24; ++j) {
          kept[j] += moved_weight * divided[j];
          divided[j] *= own_weight;
        }
      }
    }
    for (int i = 0; i < 24; ++i) {
      double* row = &matrix[static_cast<std::size_t>(24 * i)];
      for (int a = 0; a < 8; ++a) {
        if (a & bit) continue;
        const int keep = upper ? a | bit : a, between = upper ? a : a | bit;
        for (int c = 0; c < 3; ++c) {
          row[3 * keep + c] += moved_weight * row[3 * between + c];
          row[3 * between + c] *= own_weight;
        }
      }
    }
  }
}

void symmetric24::add(const std::array<double, 576>& full) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < 24; ++i)
    for (std::size_t j = i; j < 24; ++j) value[next++] += full[24 * i + j];
}

std::array<double, 576> symmetric24::full() const {
  std::array<double, 576> matrix;
  std::size_t next = 0;
  for (std::size_t i = 0; i < 24; ++i)
    for (std::size_t j = i; j < 24; ++j) matrix[24 * i + j] = matrix[24 * j + i] = value[next++];
  return matrix;
}

}  // namespace osteon::kernel
