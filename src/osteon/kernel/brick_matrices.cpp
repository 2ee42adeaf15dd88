#include <osteon/kernel/brick_matrices.hpp>

#include <algorithm>
#include <osteon/kernel/unrolled.hpp>

namespace osteon::kernel {

// P is a product over the axes. Along an axis, a lower child has the corners P0 and M = (1 - m) P0 + m P1 of its parent's
// P0 and P1, an upper child M and P1.
void restrict_to_parent(std::array<double, 576>& matrix, int octant, const std::array<double, 3>& middle) {
  for (std::size_t d = 0; d < 3; ++d) {
    const int bit = 4 >> d;
    const bool upper = octant & bit;
    const double to_high = middle[d], to_low = 1 - middle[d];
    const double stays = upper ? to_low : to_high, goes = upper ? to_high : to_low;
    for (int a = 0; a < 8; ++a) {
      if (a & bit) continue;
      const int keep = upper ? a | bit : a, between = upper ? a : a | bit;
      for (int c = 0; c < 3; ++c) {
        double* kept = &matrix[static_cast<std::size_t>((3 * keep + c) * 24)];
        double* divided = &matrix[static_cast<std::size_t>((3 * between + c) * 24)];
        for (int j = 0; j < 24; ++j) {
          kept[j] += goes * divided[j];
          divided[j] *= stays;
        }
      }
    }
    for (int i = 0; i < 24; ++i) {
      double* row = &matrix[static_cast<std::size_t>(24 * i)];
      for (int a = 0; a < 8; ++a) {
        if (a & bit) continue;
        const int keep = upper ? a | bit : a, between = upper ? a : a | bit;
        for (int c = 0; c < 3; ++c) {
          row[3 * keep + c] += goes * row[3 * between + c];
          row[3 * between + c] *= stays;
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

namespace {

typedef double double4 __attribute__((vector_size(32)));

// Sums and differences of the values at the eight corners, for the eight products of +1 and -1 over the axes.
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

// The transpose: a corner's value takes +1 or -1 times each mode.
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

// The modes by their bits: none, x, y, yx, z, zx, zy, zyx; first and second as in brick_shape. Out: normal strains, shear
// strains, the bending modes and the hourglass, then rotations and translations.
template <class V>
[[gnu::always_inline]] inline void to_deformations(const V& first, const V& second, V (&u)[8]) {
  const V &z = u[4], &y = u[2], &x = u[1];
  const V one{y[0], x[0], x[1], 0}, other{z[1], z[2], y[2], 0};
  const V normal{z[0], y[1], x[2], 0}, shear = first * one + second * other, rotation = second * one - first * other;
  const V translation = u[0];
  u[0] = normal, u[1] = shear, u[2] = u[3], u[3] = u[5], u[4] = u[6], u[5] = u[7];
  u[6] = rotation, u[7] = translation;
}

// The transpose of the one above.
template <bool has_rigid, class V>
[[gnu::always_inline]] inline void from_deformations(const V& first, const V& second, V (&f)[8]) {
  const V normal = f[0];
  V one = first * f[1], other = second * f[1];
  if constexpr (has_rigid) one += second * f[6], other -= first * f[6];
  const V translation = f[7], yx = f[2], zx = f[3], zy = f[4], zyx = f[5];
  f[0] = has_rigid ? translation : V{};
  f[1] = V{one[1], one[2], normal[2], 0}, f[2] = V{one[0], normal[1], other[2], 0}, f[3] = yx;
  f[4] = V{normal[0], other[0], other[1], 0}, f[5] = zx, f[6] = zy, f[7] = zyx;
}

constexpr int deformations = 6, all_modes = 8;  // in triples

// y = A x, A symmetric of n x n blocks, of which those on and below the diagonal are at `a`.
template <int n>
[[gnu::always_inline]] inline void multiply_symmetric(const float* a, const float4 (&x)[8], float4 (&y)[8]) {
  unrolled<n>([&](auto i) __attribute__((always_inline)) { y[i] = float4{}; });
  unrolled<n>([&](auto s) __attribute__((always_inline)) {
    constexpr int before = s * n - s * (s - 1) / 2;  // blocks of the columns to the left
    float4 across[3]{};
    unrolled<n - s>([&](auto down) __attribute__((always_inline)) {
      constexpr int t = s + down;
      unrolled<3>([&](auto c) __attribute__((always_inline)) {
        float4 column;
        load(column, a + 9 * (before + down) + 3 * c);
        y[t] += column * x[s][int{c}];
        if constexpr (t > s) across[c] += column * x[t];
      });
    });
    if constexpr (s + 1 < n) {
      // The fourth lanes: of x zero, so of the products too.
      typedef std::int32_t int4 __attribute__((vector_size(16)));
      const float4 low = __builtin_shuffle(across[0], across[1], int4{0, 4, 1, 5}) +
                         __builtin_shuffle(across[0], across[1], int4{2, 6, 3, 7});
      const float4 sum = __builtin_shuffle(low, low, int4{0, 1, 0, 1}) + __builtin_shuffle(low, low, int4{2, 3, 2, 3});
      const float last = across[2][0] + across[2][1] + across[2][2];
      y[s] += float4{sum[0], sum[1], last, 0};
    }
  });
}

template <bool is_anchored>
[[gnu::always_inline]] inline void add_brick(const std::array<std::int32_t, 8>& corner, const brick_shape& shape,
                                             const float* a, const float* x, float* y) {
  float4 u[8], f[8]{};
  unrolled<8>([&](auto k) __attribute__((always_inline)) { load(u[k], x + 4 * static_cast<std::int64_t>(corner[k])); });
  const float4 origin = u[0];
  unrolled<8>([&](auto k) __attribute__((always_inline)) { u[k] -= origin; });
  walsh_hadamard(u);
  if constexpr (is_anchored) u[0] += 8 * origin;
  to_deformations(shape.first, shape.second, u);
  multiply_symmetric<is_anchored ? all_modes : deformations>(a, u, f);
  from_deformations<is_anchored>(shape.first, shape.second, f);
  walsh_hadamard_transposed(f);
  constexpr float4 components{1, 1, 1, 0};  // the fourth lanes have seen the matrix's next values
  unrolled<8>([&](auto k) __attribute__((always_inline)) {
    float* to = y + 4 * static_cast<std::int64_t>(corner[k]);
    float4 sum;
    load(sum, to);
    store(to, sum + components * f[k]);
  });
}

}  // namespace

brick_shape::brick_shape(vector3 sides) {
  const auto largest = std::max({sides.z, sides.y, sides.x});
  const auto z = static_cast<float>(sides.z / largest), y = static_cast<float>(sides.y / largest),
             x = static_cast<float>(sides.x / largest);
  first = float4{z, z, y, 0};
  second = float4{y, x, x, 0};
}

namespace {

// The coordinates of each column and row of a matrix, transformed in place.
void transform_both_sides(std::array<double, 576>& k, const double4& first, const double4& second, double factor) {
  const auto transform = [&](double* values, std::size_t stride) {
    double4 u[8]{};
    for (std::size_t i = 0; i < 24; ++i) u[i / 3][i % 3] = factor * values[stride * i];
    walsh_hadamard(u);
    to_deformations(first, second, u);
    for (std::size_t i = 0; i < 24; ++i) values[stride * i] = u[i / 3][i % 3];
  };
  for (std::size_t i = 0; i < 24; ++i) transform(&k[24 * i], 1);
  for (std::size_t i = 0; i < 24; ++i) transform(&k[i], 24);
}

// The matrix as a form of deformations and rigid motions: the inverse transformation from both sides.
std::array<double, 576> in_deformations(const symmetric24& matrix, const brick_shape& shape) {
  double4 first{}, second{};
  for (int i = 0; i < 3; ++i) {
    const double a = shape.first[i], b = shape.second[i], norm = a * a + b * b;
    first[i] = a / norm;
    second[i] = b / norm;
  }
  std::array<double, 576> k = matrix.full();
  transform_both_sides(k, first, second, 1.0 / 8);
  return k;
}

}  // namespace

void stiffen(symmetric24& matrix, const brick_shape& shape, double part) {
  const std::array<double, 576> energy = in_deformations(matrix, shape);
  // Of the stiffest: a deformation that moves no free node has no energy of its own.
  double largest = 0;
  for (std::size_t m = 0; m < 3 * deformations; ++m) largest = std::max(largest, energy[25 * m]);
  // The coordinates of every unit displacement of a corner.
  std::array<std::array<double, 24>, 24> of_unit{};
  const double4 first = __builtin_convertvector(shape.first, double4),
                second = __builtin_convertvector(shape.second, double4);
  for (std::size_t i = 0; i < 24; ++i) {
    double4 u[8]{};
    u[i / 3][i % 3] = 1;
    walsh_hadamard(u);
    to_deformations(first, second, u);
    // A corner that only moves fixed nodes has no stiffness and is no unknown; so it stays.
    if (matrix(i, i) == 0) continue;
    for (std::size_t m = 0; m < 24; ++m) of_unit[i][m] = u[m / 3][m % 3];
  }
  for (std::size_t i = 0; i < 24; ++i)
    for (std::size_t j = i; j < 24; ++j) {
      double sum = 0;
      for (std::size_t m = 0; m < 3 * deformations; ++m) sum += of_unit[i][m] * of_unit[j][m];
      matrix.value[symmetric24::place(i, j)] += part * largest * sum;
    }
}

void deformation_table::add(const symmetric24& matrix, const brick_shape& shape, bool is_anchored) {
  const int n = is_anchored ? all_modes : deformations;
  places_.push_back({static_cast<std::uint32_t>(value_.empty() ? 0 : (value_.size() - 3) / 9), is_anchored});
  const std::array<double, 576> k = in_deformations(matrix, shape);
  if (!value_.empty()) value_.resize(value_.size() - 3);
  for (int s = 0; s < n; ++s)
    for (int t = s; t < n; ++t)
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
          value_.push_back(static_cast<float>(k[static_cast<std::size_t>(24 * (3 * t + r) + 3 * s + c)]));
  value_.resize(value_.size() + 3);  // loads take four values of three
}

void add_product(const table_bricks& bricks, std::int32_t begin, std::int32_t end, const float* x, float* y) {
  for (std::int32_t e = begin; e < end; ++e) {
    const auto at = static_cast<std::size_t>(e);
    const auto place = (*bricks.table)[bricks.matrix[at]];
    const brick_shape& shape = bricks.shapes[bricks.shape_of_brick.empty() ? 0 : bricks.shape_of_brick[at]];
    const float* a = bricks.table->values(place);
    if (place.is_anchored)
      add_brick<true>(bricks.corners[at], shape, a, x, y);
    else
      add_brick<false>(bricks.corners[at], shape, a, x, y);
  }
}

}  // namespace osteon::kernel
