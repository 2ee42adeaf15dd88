#include <osteon/kernel/deformation_table.hpp>

#include <algorithm>
#include <cstring>
#include <osteon/kernel/unrolled.hpp>

namespace osteon::kernel {

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

// In every group of four lanes: those of `a` with these numbers, or of `b` with these less four.
template <int i0, int i1, int i2, int i3, class V>
[[gnu::always_inline]] inline V pick(const V& a, const V& b) {
  constexpr int lanes = sizeof(V) / sizeof(a[0]), to_b = lanes - 4;
  constexpr auto at = [](int i, int group) { return i + (i < 4 ? 0 : to_b) + 4 * group; };
  if constexpr (lanes == 4)
    return __builtin_shufflevector(a, b, at(i0, 0), at(i1, 0), at(i2, 0), at(i3, 0));
  else
    return __builtin_shufflevector(a, b, at(i0, 0), at(i1, 0), at(i2, 0), at(i3, 0), at(i0, 1), at(i1, 1), at(i2, 1),
                                   at(i3, 1));
}

// The modes by their bits: none, x, y, yx, z, zx, zy, zyx; first and second as in brick_shape. Out: normal strains, shear
// strains, the bending modes and the hourglass, then rotations and translations. A vector holds the components z, y, x
// and a zero, of one brick or of two.
template <class V>
[[gnu::always_inline]] inline void to_deformations(const V& first, const V& second, V (&u)[8]) {
  const V translation = u[0], x = u[1], y = u[2], z = u[4];
  const V normal = pick<0, 1, 6, 7>(pick<0, 5, 2, 3>(z, y), x);
  const V one = pick<0, 4, 5, 7>(y, x), other = pick<1, 2, 6, 7>(z, y);
  u[0] = normal, u[1] = first * one + second * other;
  u[2] = u[3], u[3] = u[5], u[4] = u[6], u[5] = u[7];
  u[6] = second * one - first * other, u[7] = translation;
}

// The transpose of the one above. What fourth lanes hold stays there.
template <bool has_rigid, class V>
[[gnu::always_inline]] inline void from_deformations(const V& first, const V& second, V (&f)[8]) {
  const V normal = f[0], yx = f[2], zx = f[3], zy = f[4], zyx = f[5];
  V one = first * f[1], other = second * f[1];
  if constexpr (has_rigid) one += second * f[6], other -= first * f[6];
  f[0] = has_rigid ? f[7] : V{};
  f[1] = pick<1, 2, 6, 7>(one, normal), f[2] = pick<0, 1, 6, 7>(pick<0, 5, 2, 3>(one, normal), other), f[3] = yx;
  f[4] = pick<0, 4, 5, 7>(normal, other), f[5] = zx, f[6] = zy, f[7] = zyx;
}

constexpr int deformations = 6, all_modes = 8;  // in triples

typedef lanes<float>::vector float8;

// The four values at each place, one place a brick.
[[gnu::always_inline]] inline void load_each(float4& to, const std::array<const float*, 1>& from) { load(to, from[0]); }
[[gnu::always_inline]] inline void load_each(float8& to, const std::array<const float*, 2>& from) {
  float4 low, high;
  load(low, from[0]);
  load(high, from[1]);
  to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// y = A x for each brick, A symmetric of n x n blocks, of which those on and below the diagonal are at `a`.
template <int n, class V, std::size_t bricks>
[[gnu::always_inline]] inline void multiply_symmetric(const std::array<const float*, bricks>& a, const V (&x)[8],
                                                      V (&y)[8]) {
  unrolled<n>([&](auto i) __attribute__((always_inline)) { y[i] = V{}; });
  unrolled<n>([&](auto s) __attribute__((always_inline)) {
    constexpr int before = s * n - s * (s - 1) / 2;  // blocks of the columns to the left
    V across[3]{};
    unrolled<n - s>([&](auto down) __attribute__((always_inline)) {
      constexpr int t = s + down;
      unrolled<3>([&](auto c) __attribute__((always_inline)) {
        constexpr int place = 9 * (before + down) + 3 * c;
        V column;
        if constexpr (bricks == 1)
          load_each(column, {a[0] + place});
        else
          load_each(column, {a[0] + place, a[1] + place});
        y[t] += column * pick<c, c, c, c>(x[s], x[s]);
        if constexpr (t > s) across[c] += column * x[t];
      });
    });
    if constexpr (s + 1 < n) {  // sums over the lanes; the fourth are zero, because those of x are
      const V low = pick<0, 4, 1, 5>(across[0], across[1]) + pick<2, 6, 3, 7>(across[0], across[1]);
      const V last = across[2] + pick<1, 1, 1, 3>(across[2], across[2]) + pick<2, 2, 2, 3>(across[2], across[2]);
      y[s] += pick<0, 1, 4, 7>(low + pick<2, 3, 2, 3>(low, low), last);
    }
  });
}

// Add the forces of one brick, or of two side by side in a vector.
template <bool is_anchored, class V, std::size_t bricks>
[[gnu::always_inline]] inline void add_forces(const std::array<const std::int32_t*, bricks>& corner, const V& first,
                                              const V& second, const std::array<const float*, bricks>& a, const float* x,
                                              float* y) {
  V u[8], f[8]{};
  unrolled<8>([&](auto k) __attribute__((always_inline)) {
    if constexpr (bricks == 1)
      load_each(u[k], {x + 4 * static_cast<std::int64_t>(corner[0][k])});
    else
      load_each(u[k], {x + 4 * static_cast<std::int64_t>(corner[0][k]), x + 4 * static_cast<std::int64_t>(corner[1][k])});
  });
  const V origin = u[0];
  unrolled<8>([&](auto k) __attribute__((always_inline)) { u[k] -= origin; });
  walsh_hadamard(u);
  if constexpr (is_anchored) u[0] += 8 * origin;
  to_deformations(first, second, u);
  multiply_symmetric<is_anchored ? all_modes : deformations>(a, u, f);
  from_deformations<is_anchored>(first, second, f);
  walsh_hadamard_transposed(f);
  constexpr float4 components{1, 1, 1, 0};  // the fourth lanes have seen the matrix's next values
  for (std::size_t b = 0; b < bricks; ++b)  // one after the other: they may share corners
    unrolled<8>([&](auto k) __attribute__((always_inline)) {
      float* to = y + 4 * static_cast<std::int64_t>(corner[b][k]);
      float4 sum, force;
      std::memcpy(&force, reinterpret_cast<const float4*>(&f[k]) + b, sizeof force);
      load(sum, to);
      store(to, sum + components * force);
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
  const deformation_table& table = *bricks.table;
  for (std::int32_t e = begin; e < end; ++e) {
    const auto at = static_cast<std::size_t>(e);
    const auto place = table[bricks.matrix[at]];
    const brick_shape& shape = bricks.shapes[bricks.shape_of_brick.empty() ? 0 : bricks.shape_of_brick[at]];
    if (place.is_anchored) {
      add_forces<true, float4, 1>({bricks.corners[at].data()}, shape.first, shape.second, {table.values(place)}, x, y);
      continue;
    }
    if (e + 1 < end && bricks.shape_of_brick.empty())
      if (const auto next = table[bricks.matrix[at + 1]]; !next.is_anchored) {
        const auto twice = [](const float4& v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7); };
        add_forces<false, float8, 2>({bricks.corners[at].data(), bricks.corners[at + 1].data()}, twice(shape.first),
                                     twice(shape.second), {table.values(place), table.values(next)}, x, y);
        ++e;
        continue;
      }
    add_forces<false, float4, 1>({bricks.corners[at].data()}, shape.first, shape.second, {table.values(place)}, x, y);
  }
}

}  // namespace osteon::kernel
