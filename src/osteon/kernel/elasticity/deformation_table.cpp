#include <osteon/kernel/elasticity/deformation_table.hpp>

#include <algorithm>
#include <osteon/kernel/elasticity/deformation_parts.hpp>
#include <osteon/kernel/elasticity/graded_bricks.hpp>

namespace osteon::kernel {

using namespace deformation_parts;

namespace {

typedef double double8 __attribute__((vector_size(64)));

// Compute the matrices of eight graded bricks. The entries are constants times sums of the octants' moduli.
void make_matrices(const graded_bricks& graded, const octant_materials* const (&octants)[8],
                   float8 (&a)[graded_bricks::entries]) {
  const graded_bricks::coefficients& k = graded.of_product();
  // Use double precision, because small sums of large moduli suffer from cancellation.
  double8 lambda[8], mu[8];
  for (int octant = 0; octant < 8; ++octant)
    for (int b = 0; b < 8; ++b) {
      const lame& m = k.materials[(*octants[b])[static_cast<std::size_t>(octant)]];
      lambda[octant][b] = m.lambda, mu[octant][b] = m.mu;
    }
  walsh_hadamard(lambda);
  walsh_hadamard(mu);
  float8 lambdas[8], mus[8];
  for (int sum = 0; sum < 8; ++sum) {
    lambdas[sum] = __builtin_convertvector(lambda[sum], float8);
    mus[sum] = __builtin_convertvector(mu[sum], float8);
  }
  for (std::size_t i = 0; i < graded_bricks::entries; ++i)
    a[i] = k.by_lambda[i] * lambdas[k.sum[i]] + k.by_mu[i] * mus[k.sum[i]];
  float8 largest{};
  std::size_t block = 0;  // the first block of each column is on the diagonal
  for (std::size_t s = 0; s < deformations; block += deformations - s, ++s)
    for (std::size_t c = 0; c < 3; ++c) {
      const float8& v = a[9 * block + 4 * c];
      largest = v > largest ? v : largest;
    }
  block = 0;
  for (std::size_t s = 0; s < deformations; block += deformations - s, ++s)
    for (std::size_t c = 0; c < 3; ++c) a[9 * block + 4 * c] += k.stiffening * largest;
}

enum class brick_kind { free, anchored, graded };

template <brick_kind kind>
void add_forces(const table_bricks& bricks, const brick_batch& batch, const float* x, float* y) {
  constexpr bool is_anchored = kind == brick_kind::anchored;
  constexpr int n = is_anchored ? all_modes : deformations;
  const std::int32_t* corner[8];
  const float* matrix[8];
  const octant_materials* octants[8];
  for (std::size_t b = 0; b < 8; ++b) {
    const auto e = static_cast<std::size_t>(batch.brick[b]);
    corner[b] = bricks.corners[e].data();
    if constexpr (kind == brick_kind::graded)
      octants[b] = &bricks.octants[static_cast<std::size_t>(~bricks.matrix[e])];
    else if (batch.factors < 0)
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
  if constexpr (kind == brick_kind::graded) {
    float8 a[graded_bricks::entries];
    make_matrices(*bricks.graded, octants, a);
    multiply_symmetric<n>(a, d, f);
  } else if (kind == brick_kind::free && batch.factors >= 0) {
    multiply_factored(bricks.table->factors(batch.factors), d, f);
  } else if (batch.has_one_matrix) {
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
  for (int b = 0; b < batch.count; ++b)  // sequentially, because bricks may share corners
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

void stiffen(symmetric24& matrix, const brick_shape& shape, double part) {
  const std::array<double, 576> energy = in_deformations(matrix, shape);
  // Stiffen relative to the stiffest deformation, because a deformation without free nodes has no energy.
  double largest = 0;
  for (std::size_t m = 0; m < 3 * deformations; ++m) largest = std::max(largest, energy[25 * m]);
  // Coordinates of all unit displacements of corners.
  std::array<std::array<double, 24>, 24> of_unit{};
  for (std::size_t i = 0; i < 24; ++i) {
    // A corner that moves fixed nodes only has no stiffness. The displacement of this corner is not an unknown and remains
    // zero.
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

void deformation_table::number(const std::vector<bool>& is_anchored) {
  for (const bool anchored : is_anchored) places_.push_back({0, anchored});
}

void deformation_table::reserve(std::size_t free, std::size_t anchored, std::size_t factors) {
  constexpr std::size_t blocks_of_free = deformations * (deformations + 1) / 2,
                        blocks_of_anchored = all_modes * (all_modes + 1) / 2;
  value_.reserve(value_.size() + 9 * (free * blocks_of_free + anchored * blocks_of_anchored) + 3);
  factors_.reserve(factors_.size() + factors);
}

void deformation_table::add_entries(std::int32_t matrix, const symmetric24& entries, const brick_shape& shape) {
  place& at = places_[static_cast<std::size_t>(matrix)];
  const int n = at.is_anchored ? all_modes : deformations;
  at.begin = static_cast<std::uint32_t>(value_.empty() ? 0 : (value_.size() - 3) / 9) & 0x7fffffff;
  const std::array<double, 576> k = in_deformations(entries, shape);
  if (!value_.empty()) value_.resize(value_.size() - 3);
  for (int s = 0; s < n; ++s)
    for (int t = s; t < n; ++t)
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
          value_.push_back(static_cast<float>(k[static_cast<std::size_t>(24 * (3 * t + r) + 3 * s + c)]));
  value_.resize(value_.size() + 3);  // loads of three values read a fourth value
}

std::int32_t deformation_table::add_factors(const std::array<const matrix_factor*, 8>& factors) {
  batch_factor& batch = factors_.emplace_back();
  for (std::size_t w = 0; w < batch.word.size(); ++w)
    for (std::size_t b = 0; b < 8; ++b) batch.word[w][b] = factors[b]->word[w];
  return static_cast<std::int32_t>(factors_.size()) - 1;
}

matrix_factor factor_of_deformations(const symmetric24& matrix, const brick_shape& shape) {
  return matrix_factor(in_deformations(matrix, shape));
}

// Number of consecutive bricks that are sorted by matrix. On the first coarse level of a sponge, an eighth of the bricks
// then have no seven others with their matrix. The nodes of the bricks remain in the second-level cache.
constexpr std::int32_t window = 4096;

void append_batches(const table_bricks& bricks, std::int32_t begin, std::int32_t end, std::vector<brick_batch>& batches) {
  struct entry {
    int group;  // bricks of one group can be multiplied together
    std::int32_t matrix, brick;
    auto operator<=>(const entry&) const = default;
  };
  const std::int32_t windows = (end - begin + window - 1) / window;
  std::vector<entry> entries, rest;
  const auto append = [&](std::span<const entry> of, bool has_one_matrix) {
    brick_batch batch{
        .brick = {}, .factors = -1, .count = static_cast<std::int8_t>(of.size()), .has_one_matrix = has_one_matrix};
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
      const int group = matrix < 0 ? -1 : 2 * shape + static_cast<int>((*bricks.table)[matrix].is_anchored);
      entries.push_back({group, matrix, e});
    }
    std::sort(entries.begin(), entries.end());
    for (std::size_t i = 0, next; i < entries.size(); i = next) {
      for (next = i; next < entries.size() && entries[next].matrix == entries[i].matrix; ++next) {
      }
      for (; next - i >= 8; i += 8) append({&entries[i], 8}, true);
      rest.insert(rest.end(), entries.data() + i, entries.data() + next);
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
    if (matrix < 0)
      add_forces<brick_kind::graded>(bricks, batch, x, y);
    else if ((*bricks.table)[matrix].is_anchored)
      add_forces<brick_kind::anchored>(bricks, batch, x, y);
    else
      add_forces<brick_kind::free>(bricks, batch, x, y);
  }
}

}  // namespace osteon::kernel
