#pragma once
/// @file
/// Transforms between corner values and deformations of bricks, and products in terms of deformations, for deformation_table
/// and graded_bricks.
#include <array>
#include <osteon/kernel/elasticity/brick_matrices.hpp>
#include <osteon/kernel/elasticity/deformation_table.hpp>
#include <osteon/kernel/unrolled.hpp>

namespace osteon::kernel::deformation_parts {

typedef double double4 __attribute__((vector_size(32)));
typedef lanes<float>::vector float8;

// Walsh-Hadamard transform of the values at the eight corners. Each result is a sum with signs; the signs are products of +1
// and -1 over the axes.
template <class V>
[[gnu::always_inline]] inline void walsh_hadamard(V (&u)[8]) {
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int bit = 4 >> axis;
    unrolled<8>([&](auto a) __attribute__((always_inline)) {
      if constexpr (!(a & bit)) {
        const V low = u[a], high = u[a | bit];
        u[a] = low + high;
        u[a | bit] = high - low;
      }
    });
  });
}

// Transpose of the Walsh-Hadamard transform: a corner value is the sum of all modes with signs.
template <class V>
[[gnu::always_inline]] inline void walsh_hadamard_transposed(V (&u)[8]) {
  unrolled<3>([&](auto axis) __attribute__((always_inline)) {
    constexpr int bit = 4 >> axis;
    unrolled<8>([&](auto a) __attribute__((always_inline)) {
      if constexpr (!(a & bit)) {
        const V even = u[a], odd = u[a | bit];
        u[a] = even - odd;
        u[a | bit] = even + odd;
      }
    });
  });
}

constexpr int deformations = 6, all_modes = 8;  // numbers of triples

// Input `u`: modes in the order of their index bits none, x, y, yx, z, zx, zy, zyx; `first` and `second` as in brick_shape.
// Output: normal strains, shear strains, bending modes and the hourglass mode, then rotations and translations. A vector
// contains one value per brick.
template <class V, class S>
[[gnu::always_inline]] inline void to_deformations(const S& first, const S& second, const V (&u)[3][8],
                                                   V (&d)[all_modes][3]) {
  d[0][0] = u[0][4], d[0][1] = u[1][2], d[0][2] = u[2][1];
  const V one[3] = {u[0][2], u[0][1], u[1][1]}, other[3] = {u[1][4], u[2][4], u[2][2]};
  for (int c = 0; c < 3; ++c) {
    d[1][c] = first[c] * one[c] + second[c] * other[c];
    d[2][c] = u[c][3], d[3][c] = u[c][5], d[4][c] = u[c][6], d[5][c] = u[c][7];
    d[6][c] = second[c] * one[c] - first[c] * other[c];
    d[7][c] = u[c][0];
  }
}

// Transpose of the transform to deformations.
template <bool has_rigid, class V, class S>
[[gnu::always_inline]] inline void from_deformations(const S& first, const S& second, const V (&d)[all_modes][3],
                                                     V (&u)[3][8]) {
  V one[3], other[3];
  for (int c = 0; c < 3; ++c) {
    one[c] = first[c] * d[1][c], other[c] = second[c] * d[1][c];
    if constexpr (has_rigid) one[c] += second[c] * d[6][c], other[c] -= first[c] * d[6][c];
    u[c][0] = has_rigid ? d[7][c] : V{};
    u[c][3] = d[2][c], u[c][5] = d[3][c], u[c][6] = d[4][c], u[c][7] = d[5][c];
  }
  u[0][4] = d[0][0], u[1][2] = d[0][1], u[2][1] = d[0][2];
  u[0][2] = one[0], u[0][1] = one[1], u[1][1] = one[2];
  u[1][4] = other[0], u[2][4] = other[1], u[2][2] = other[2];
}

// y = A x for a symmetric A of n x n blocks. `a` contains the blocks on and below the diagonal, as scalars common to all
// bricks or as vectors.
template <int n, class A>
[[gnu::always_inline]] inline void multiply_symmetric(const A* a, const float8 (&x)[all_modes][3],
                                                      float8 (&y)[all_modes][3]) {
  unrolled<n>([&](auto s) __attribute__((always_inline)) {
    constexpr int before = s * n - s * (s - 1) / 2;  // number of blocks in the columns to the left
    float8 across[3]{};
    unrolled<n - s>([&](auto down) __attribute__((always_inline)) {
      constexpr int t = s + down;
      unrolled<3>([&](auto c) __attribute__((always_inline)) {
        unrolled<3>([&](auto r) __attribute__((always_inline)) {
          const A value = a[9 * (before + down) + 3 * c + r];
          y[t][r] += value * x[s][c];
          if constexpr (t > s) across[c] += value * x[t][r];
        });
      });
    });
    if constexpr (s + 1 < n) unrolled<3>([&](auto c) __attribute__((always_inline)) { y[s][c] += across[c]; });
  });
}

// y = L L^T x with one factor per brick.
[[gnu::always_inline]] inline void multiply_factored(const batch_factor& factor, const float8 (&x)[all_modes][3],
                                                     float8 (&y)[all_modes][3]) {
  typedef std::uint32_t words8 __attribute__((vector_size(32)));
  typedef std::int32_t integers8 __attribute__((vector_size(32)));
  constexpr int n = matrix_factor::rows;
  const auto half = [&](auto number) __attribute__((always_inline)) {
    words8 word;
    load(word, factor.word[number / 2].data());
    return number % 2 == 0 ? word : word << 16;
  };
  constexpr auto common = static_cast<float>(matrix_factor::common_squared_scale);
  unrolled<n>([&](auto column) __attribute__((always_inline)) {
    constexpr int first = column * n - column * (column - 1) / 2 - column;
    constexpr int scale = matrix_factor::first_scale + column;
    float8 entry[n], even{}, odd{};
    unrolled<n - column>([&](auto down) __attribute__((always_inline)) {
      constexpr int row = column + down;
      entry[row] = __builtin_convertvector((integers8)half(std::integral_constant<int, first + row>{}), float8);
      (down % 2 ? odd : even) += entry[row] * x[row / 3][row % 3];
    });
    const float8 sum = (even + odd) * common * (float8)half(std::integral_constant<int, scale>{});
    unrolled<n - column>([&](auto down) __attribute__((always_inline)) {
      constexpr int row = column + down;
      y[row / 3][row % 3] += entry[row] * sum;
    });
  });
}

// Load four values of each of eight bricks, and transpose: to[k] contains value k of all bricks.
[[gnu::always_inline]] inline void gather_fours(const float* const (&from)[8], float8 (&to)[4]) {
  float8 pair[4];
  unrolled<4>([&](auto b) __attribute__((always_inline)) {
    float4 low, high;
    load(low, from[b]);
    load(high, from[b + 4]);
    pair[b] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  });
  const float8 a = __builtin_shufflevector(pair[0], pair[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const float8 b = __builtin_shufflevector(pair[0], pair[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const float8 c = __builtin_shufflevector(pair[2], pair[3], 0, 8, 1, 9, 4, 12, 5, 13);
  const float8 d = __builtin_shufflevector(pair[2], pair[3], 2, 10, 3, 11, 6, 14, 7, 15);
  to[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
  to[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
  to[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
  to[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Inverse of gather_fours for three values and a zero.
[[gnu::always_inline]] inline void spread_threes(const float8& z, const float8& y, const float8& x, float4 (&to)[8]) {
  const float8 zero{};
  const float8 a = __builtin_shufflevector(z, y, 0, 8, 1, 9, 4, 12, 5, 13);
  const float8 b = __builtin_shufflevector(z, y, 2, 10, 3, 11, 6, 14, 7, 15);
  const float8 c = __builtin_shufflevector(x, zero, 0, 8, 1, 9, 4, 12, 5, 13);
  const float8 d = __builtin_shufflevector(x, zero, 2, 10, 3, 11, 6, 14, 7, 15);
  const float8 pair[4] = {
      __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13), __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15),
      __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13), __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15)};
  unrolled<4>([&](auto i) __attribute__((always_inline)) {
    to[i] = __builtin_shufflevector(pair[i], pair[i], 0, 1, 2, 3);
    to[i + 4] = __builtin_shufflevector(pair[i], pair[i], 4, 5, 6, 7);
  });
}

// Transform each column of a matrix to coordinates, four columns at a time. The result is transposed.
inline std::array<double, 576> transform_columns(const std::array<double, 576>& k, const double (&first)[3],
                                                 const double (&second)[3]) {
  std::array<double, 576> result;
  for (std::size_t column = 0; column < 24; column += 4) {
    double4 u[3][8], d[all_modes][3];
    for (std::size_t i = 0; i < 24; ++i) load(u[i % 3][i / 3], &k[24 * i + column]);
    for (auto& component : u) walsh_hadamard(component);
    to_deformations(first, second, u, d);
    for (std::size_t i = 0; i < 24; ++i)
      for (std::size_t j = 0; j < 4; ++j) result[24 * (column + j) + i] = d[i / 3][i % 3][j] / 8;
  }
  return result;
}

// Express a matrix as a quadratic form of deformations and rigid motions. The inverse transformation is applied from both
// sides.
inline std::array<double, 576> in_deformations(const symmetric24& matrix, const brick_shape& shape) {
  double first[3], second[3];
  for (int i = 0; i < 3; ++i) {
    const double a = shape.first[i], b = shape.second[i], norm = a * a + b * b;
    first[i] = a / norm;
    second[i] = b / norm;
  }
  return transform_columns(transform_columns(matrix.full(), first, second), first, second);
}

}  // namespace osteon::kernel::deformation_parts
