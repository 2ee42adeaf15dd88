#include <osteon/kernel/deformation_table.hpp>

#include <algorithm>
#include <osteon/kernel/unrolled.hpp>

namespace osteon::kernel {

namespace {

typedef double double4 __attribute__((vector_size(32)));
typedef lanes<float>::vector float8;

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

constexpr int deformations = 6, all_modes = 8;  // in triples

// The modes by their bits: none, x, y, yx, z, zx, zy, zyx; first and second as in brick_shape. Out: normal strains, shear
// strains, the bending modes and the hourglass, then rotations and translations. A vector holds one value of each brick.
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

// The transpose of the one above.
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

// y = A x, A symmetric of n x n blocks, of which those on and below the diagonal are at `a`: numbers, the same for all
// bricks, or vectors.
template <int n, class A>
[[gnu::always_inline]] inline void multiply_symmetric(const A* a, const float8 (&x)[all_modes][3],
                                                      float8 (&y)[all_modes][3]) {
  unrolled<n>([&](auto s) __attribute__((always_inline)) {
    constexpr int before = s * n - s * (s - 1) / 2;  // blocks of the columns to the left
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

// Four values of each of eight bricks: the first of all, the second of all, and so on.
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

// The way back, of three values and a zero.
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

template <bool is_anchored>
void add_forces(const table_bricks& bricks, const brick_batch& batch, const float* x, float* y) {
  constexpr int n = is_anchored ? all_modes : deformations;
  const std::int32_t* corner[8];
  const float* matrix[8];
  for (std::size_t b = 0; b < 8; ++b) {
    const auto e = static_cast<std::size_t>(batch.brick[b]);
    corner[b] = bricks.corners[e].data();
    matrix[b] = bricks.table->values((*bricks.table)[bricks.matrix[e]]);
  }
  const auto first_brick = static_cast<std::size_t>(batch.brick[0]);
  const brick_shape& shape = bricks.shapes[bricks.shape_of_brick.empty() ? 0 : bricks.shape_of_brick[first_brick]];

  float8 u[3][8], d[all_modes][3], f[all_modes][3]{};
  unrolled<8>([&](auto k) __attribute__((always_inline)) {
    const float* node[8];
    unrolled<8>([&](auto b) __attribute__((always_inline)) { node[b] = x + 4 * static_cast<std::int64_t>(corner[b][k]); });
    float8 value[4];
    gather_fours(node, value);
    unrolled<3>([&](auto c) __attribute__((always_inline)) { u[c][k] = value[c]; });
  });
  unrolled<3>([&](auto c) __attribute__((always_inline)) {
    const float8 origin = u[c][0];
    unrolled<8>([&](auto k) __attribute__((always_inline)) { u[c][k] -= origin; });
    walsh_hadamard(u[c]);
    if constexpr (is_anchored) u[c][0] += 8 * origin;
  });
  to_deformations(shape.first, shape.second, u, d);
  if (batch.has_one_matrix) {
    multiply_symmetric<n>(matrix[0], d, f);
  } else {
    constexpr int fours = (9 * n * (n + 1) / 2 + 3) / 4;
    float8 a[fours][4];
    for (int i = 0; i < fours; ++i) {
      const float* from[8];
      unrolled<8>([&](auto b) __attribute__((always_inline)) { from[b] = matrix[b] + 4 * i; });
      gather_fours(from, a[i]);
    }
    multiply_symmetric<n>(a[0], d, f);
  }
  from_deformations<is_anchored>(shape.first, shape.second, f, u);
  unrolled<3>([&](auto c) __attribute__((always_inline)) { walsh_hadamard_transposed(u[c]); });
  float4 force[8][8];
  unrolled<8>([&](auto k) __attribute__((always_inline)) { spread_threes(u[0][k], u[1][k], u[2][k], force[k]); });
  for (int b = 0; b < batch.count; ++b)  // one after the other: they may share corners
    unrolled<8>([&](auto k) __attribute__((always_inline)) {
      float* to = y + 4 * static_cast<std::int64_t>(corner[b][k]);
      float4 sum;
      load(sum, to);
      store(to, sum + force[k][b]);
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

// The coordinates of each column of a matrix, four columns at a time; the result transposed.
std::array<double, 576> transform_columns(const std::array<double, 576>& k, const double (&first)[3],
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

// The matrix as a form of deformations and rigid motions: the inverse transformation from both sides.
std::array<double, 576> in_deformations(const symmetric24& matrix, const brick_shape& shape) {
  double first[3], second[3];
  for (int i = 0; i < 3; ++i) {
    const double a = shape.first[i], b = shape.second[i], norm = a * a + b * b;
    first[i] = a / norm;
    second[i] = b / norm;
  }
  return transform_columns(transform_columns(matrix.full(), first, second), first, second);
}

}  // namespace

void stiffen(symmetric24& matrix, const brick_shape& shape, double part) {
  const std::array<double, 576> energy = in_deformations(matrix, shape);
  // Of the stiffest: a deformation that moves no free node has no energy of its own.
  double largest = 0;
  for (std::size_t m = 0; m < 3 * deformations; ++m) largest = std::max(largest, energy[25 * m]);
  // The coordinates of every unit displacement of a corner.
  std::array<std::array<double, 24>, 24> of_unit{};
  for (std::size_t i = 0; i < 24; ++i) {
    // A corner that only moves fixed nodes has no stiffness and is no unknown; so it stays.
    if (matrix(i, i) == 0) continue;
    double u[3][8]{}, d[all_modes][3];
    u[i % 3][i / 3] = 1;
    for (auto& component : u) walsh_hadamard(component);
    to_deformations(__builtin_convertvector(shape.first, double4), __builtin_convertvector(shape.second, double4), u, d);
    for (std::size_t m = 0; m < 24; ++m) of_unit[i][m] = d[m / 3][m % 3];
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

// Bricks of this many in a row are put in order of their matrices: enough to find eight of one matrix, few enough that their
// nodes stay in the first cache.
constexpr std::int32_t window = 512;

void append_batches(const table_bricks& bricks, std::int32_t begin, std::int32_t end, std::vector<brick_batch>& batches) {
  struct entry {
    int group;  // those of one group can be multiplied together
    std::int32_t matrix, brick;
    auto operator<=>(const entry&) const = default;
  };
  const std::int32_t windows = (end - begin + window - 1) / window;
  std::vector<entry> entries, rest;
  const auto append = [&](std::span<const entry> of, bool has_one_matrix) {
    brick_batch batch{.brick = {}, .count = static_cast<std::int8_t>(of.size()), .has_one_matrix = has_one_matrix};
    for (std::size_t b = 0; b < 8; ++b) batch.brick[b] = of[std::min(b, of.size() - 1)].brick;
    batches.push_back(batch);
  };
  for (std::int32_t w = 0; w < windows; ++w) {
    entries.clear();
    rest.clear();
    for (std::int32_t e = begin + w * window; e < std::min(begin + (w + 1) * window, end); ++e) {
      const auto at = static_cast<std::size_t>(e);
      const std::int32_t matrix = bricks.matrix[at];
      const int shape = bricks.shape_of_brick.empty() ? 0 : bricks.shape_of_brick[at];
      entries.push_back({2 * shape + static_cast<int>((*bricks.table)[matrix].is_anchored), matrix, e});
    }
    std::sort(entries.begin(), entries.end());
    for (std::size_t i = 0, next; i < entries.size(); i = next) {
      for (next = i; next < entries.size() && entries[next].matrix == entries[i].matrix; ++next) {
      }
      for (; next - i >= 8; i += 8) append({&entries[i], 8}, true);
      rest.insert(rest.end(), &entries[i], &entries[next]);
    }
    for (std::size_t i = 0, next; i < rest.size(); i = next) {
      for (next = i; next < std::min(i + 8, rest.size()) && rest[next].group == rest[i].group; ++next) {
      }
      append({&rest[i], next - i}, rest[next - 1].matrix == rest[i].matrix);
    }
  }
}

void add_product(const table_bricks& bricks, std::span<const brick_batch> batches, const float* x, float* y) {
  for (const brick_batch& batch : batches) {
    const std::int32_t matrix = bricks.matrix[static_cast<std::size_t>(batch.brick[0])];
    if ((*bricks.table)[matrix].is_anchored)
      add_forces<true>(bricks, batch, x, y);
    else
      add_forces<false>(bricks, batch, x, y);
  }
}

}  // namespace osteon::kernel
