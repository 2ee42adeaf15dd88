#include <gtest/gtest.h>

#include <osteon/kernel/heat/conduction_relax.hpp>
#include <osteon/kernel/sparse_rows.hpp>
#include <random>
#include <vector>

#include "kernel/conduction_case.hpp"

namespace conduction_test {

using namespace osteon::kernel;
using osteon::material_number;

constexpr std::size_t padded(std::size_t size) { return size + static_cast<std::size_t>(conduction_padding); }

// Two rows of a plane with five cells each, and a wall row behind the front row. The numbering is made by hand:
//   row y = 0: cells 1 .. 5, wall cells 11 .. 15 in front of it; row y = 1: cells 6 .. 10; x = 2 | 3 is insulated in row 1.
// Cell 10 is a corner so that the test has a corner. Number 0 is not a cell.
struct two_rows {
  std::vector<conduction_segment> segments;
  std::vector<conduction_corner> corners{{10, {10, 10, 5, 10, 9, 10}}};
  std::vector<material_number> material{0, 1, 1, 2, 2, 3, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0};
  std::vector<std::uint8_t> open{0,          4 + 8 + 32, 4 + 8 + 48, 4 + 8 + 48, 4 + 8 + 48,
                                 4 + 8 + 16, 4 + 32,     4 + 48,     4 + 16,     4 + 32};

  two_rows() {
    segments.push_back({1, 5, 0, {1, 1, 11, 6}});
    segments.push_back({6, 4, 0, {6, 6, 1, 6}});
    material.resize(padded(16));
    open.resize(padded(16));
  }
  template <class T>
  conduction_stencil<T> stencil() const {
    conduction_stencil<T> k{segments, corners, open.data(), material.data(), {}, {}, {}};
    k.resistivity = {T(0), T(1), T(0.25), T(10)};
    k.face = {T(2), T(3), T(5)};
    k.storage = {T(0), T(0.5), T(0), T(0.125)};
    return k;
  }
};

// The dense matrix from a plain list of faces. Each face has a cell, a cell or wall, and an axis.
std::vector<std::vector<double>> dense_reference() {
  const two_rows rows;
  const auto k = rows.stencil<double>();
  std::vector<std::vector<double>> matrix(11, std::vector<double>(16));
  const auto add = [&](int i, int j, std::size_t axis) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    const double half_i = k.resistivity[rows.material[a]] / k.face[axis],
                 half_j = k.resistivity[rows.material[b]] / k.face[axis];
    const double g = 1 / (half_i + half_j);
    matrix[a][a] += g;
    matrix[a][b] -= g;
    if (j > 10) return;
    matrix[b][b] += g;
    matrix[b][a] -= g;
  };
  for (int x = 0; x < 5; ++x) {
    add(1 + x, 11 + x, 1);
    add(1 + x, 6 + x, 1);
    if (x < 4) add(1 + x, 2 + x, 2);
    if (x < 4 && x != 2) add(6 + x, 7 + x, 2);
  }
  return matrix;
}

// Oracle: a dense matrix assembled face by face.
TEST(conduction, operator_equals_the_dense_matrix_with_walls_and_insulated_faces) {
  const two_rows rows;
  auto matrix = dense_reference();
  const auto k = rows.stencil<double>();
  for (std::size_t i = 1; i < 11; ++i) matrix[i][i] += k.storage[rows.material[i]];
  std::mt19937 random(3);
  std::vector<double> x(padded(16));
  for (double& value : x) value = std::uniform_real_distribution<>(-1, 1)(random);
  std::vector<double> y(padded(16)), diagonal(y);

  for_each_flux(k, x.data(), [&](std::int32_t i, double flux, double own) {
    y[static_cast<std::size_t>(i)] = flux;
    diagonal[static_cast<std::size_t>(i)] = own;
  });

  for (std::size_t i = 1; i < 11; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < 16; ++j) expected += matrix[i][j] * x[j];
    EXPECT_NEAR(y[i], expected, 1e-13);
    EXPECT_NEAR(diagonal[i], matrix[i][i], 1e-13);
  }
}

// Oracle: the dense matrix of the previous test. Each off-diagonal entry is one face.
TEST(conduction, visited_faces_are_the_entries_of_the_dense_matrix) {
  const two_rows rows;
  auto matrix = dense_reference();
  visit_faces(rows.stencil<double>(), [&](std::int32_t i, std::int32_t j, int, bool, double g) {
    matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] += g;
    matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)] -= g;
  });
  for (const auto& row : matrix)
    for (const double entry : row) EXPECT_NEAR(entry, 0, 1e-14);
}

// Oracle: the mixed path, called with one cell at a time. This path makes no assumption about materials and lanes.
TEST(conduction, uniform_segments_and_whole_lanes_equal_the_mixed_path) {
  constexpr std::int32_t rows = 4, length = 13, size = 1 + rows * length;
  std::vector<material_number> material(padded(size), 2);
  std::vector<std::uint8_t> open(padded(size));
  std::vector<conduction_segment> segments;
  std::mt19937 random(5);
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::int32_t first = 1 + row * length;
    for (std::int32_t n = 0; n < length; ++n) {
      std::uint32_t bits = random() % 16U;  // holes anywhere
      if (row == 0) bits &= ~4U;
      if (row + 1 == rows) bits &= ~8U;
      open[static_cast<std::size_t>(first + n)] =
          static_cast<std::uint8_t>((bits & 12U) | (n > 0 ? 16U : 0U) | (n + 1 < length ? 32U : 0U));
    }
    const std::int32_t front = row > 0 ? first - length : first, back = row + 1 < rows ? first + length : first;
    segments.push_back({first, 3, 1, {first, first, front, back}});
    segments.push_back({first + 3, length - 3, 1, {first + 3, first + 3, front + 3, back + 3}});
  }
  conduction_stencil<float> uniform{segments, {}, open.data(), material.data(), {0, 0, 0.7F}, {2, 3, 5}, {0, 0, 0}};
  std::vector<conduction_segment> plain(segments);
  for (conduction_segment& s : plain) s.uniform = 0;
  conduction_stencil<float> mixed = uniform;
  mixed.segments = plain;
  std::vector<float> x(padded(size)), a(padded(size)), b(padded(size)), c(padded(size));
  for (float& value : x) value = std::uniform_real_distribution<float>(-1, 1)(random);

  for_each_flux(uniform, x.data(), [&](std::int32_t i, float flux) { a[static_cast<std::size_t>(i)] = flux; });
  for_each_flux(mixed, x.data(), [&](std::int32_t i, float flux) { b[static_cast<std::size_t>(i)] = flux; });
  float* out = c.data();
  for_each_flux(uniform, x.data(), [out]<class V>(std::int32_t i, V flux, V) { put(out + i, flux); });

  for (std::size_t i = 1; i < size; ++i) {
    EXPECT_NEAR(a[i], b[i], 2e-5F);
    EXPECT_EQ(c[i], a[i]);
  }
}

// Oracle: the definition of the adjoint of Gauss-Seidel, u.(forward v) = v.(backward u) from zero. A sweep does not change
// the solution. The test includes ghosts, whose faces count twice.
TEST(conduction, sweeps_forth_and_back_are_adjoint_and_keep_the_solution) {
  osteon::test::conduction_case box(3, 4, 21);
  box.split(10);
  const auto k = box.stencil<float>();
  const auto size = box.material.size();
  const conduction_part all{k.segments, {}};
  std::mt19937 random(3);
  const auto noise = [&] {
    std::vector<float> v(size);
    for (std::size_t i = 1; i < static_cast<std::size_t>(box.cells); ++i)
      v[i] = std::uniform_real_distribution<float>(-1, 1)(random);
    return v;
  };
  const auto dot = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  for (const std::int32_t ghosts : {box.cells, 1 + 8 * 21}) {  // without ghosts, or with the last plane as ghosts
    const auto u = noise(), v = noise();
    std::vector<float> forth(size), back(size);
    relax(k, all, ghosts, box.cells, sweep::forth, v.data(), forth.data());
    relax(k, all, ghosts, box.cells, sweep::back, u.data(), back.data());
    EXPECT_NEAR(dot(u, forth) / dot(v, back), 1, 1e-4);

    const auto x = noise();
    std::vector<float> b(size);
    for_each_flux(k, x.data(), [&](std::int32_t i, float flux) { b[static_cast<std::size_t>(i)] = flux; });
    for (const sweep way : {sweep::forth, sweep::back}) {
      auto same = x;
      relax(k, all, ghosts, box.cells, way, b.data(), same.data());
      for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(same[i], x[i], 1e-5F);
    }
  }
}

// Oracle: plain Gauss-Seidel, cell by cell in the order of the lanes. The first lane of a step uses the previous value of
// the last lane of the preceding step.
TEST(conduction, a_sweep_forth_is_gauss_seidel_in_the_order_of_the_lanes) {
  osteon::test::conduction_case box(2, 3, 21);
  box.split(10);
  const auto k = box.stencil<float>();
  const auto size = box.material.size();
  std::mt19937 random(4);
  std::vector<float> b(size), x(size);
  for (std::size_t i = 1; i < static_cast<std::size_t>(box.cells); ++i) {
    b[i] = std::uniform_real_distribution<float>(-1, 1)(random);
    x[i] = std::uniform_real_distribution<float>(-1, 1)(random);
  }
  std::vector<double> plain(x.begin(), x.end());
  double before = 0;
  const auto row = [&](std::int32_t cell, std::int32_t as_it_was) {
    double sum = static_cast<double>(b[static_cast<std::size_t>(cell)]),
           diagonal = static_cast<double>(k.storage[k.material[cell]]);
    visit_faces(k, [&](std::int32_t i, std::int32_t j, int, bool, float g) {
      if (i != cell) return;
      sum += static_cast<double>(g) * (j == as_it_was ? before : plain[static_cast<std::size_t>(j)]);
      diagonal += static_cast<double>(g);
    });
    plain[static_cast<std::size_t>(cell)] = diagonal > 0 ? sum / diagonal : 0;
  };
  for (const conduction_segment& s : box.segments)
    for (std::int32_t length = static_cast<std::int32_t>(s.length), step = 0; step < length; step += 8) {
      const double last = plain[static_cast<std::size_t>(s.first + std::min(step + 7, length - 1))];
      for (std::int32_t half = 0; half < 2; ++half)
        for (std::int32_t n = step + half; n < std::min(step + 8, length); n += 2)
          row(s.first + n, n == step && step > 0 ? s.first + n - 1 : -1);
      before = last;
    }
  relax(k, {k.segments, {}}, box.cells, box.cells, sweep::forth, b.data(), x.data());
  for (std::size_t i = 1; i < static_cast<std::size_t>(box.cells); ++i) EXPECT_NEAR(x[i], plain[i], 2e-5);
}

// Oracle: values computed by hand for a path of three points. The last point is a ghost.
TEST(sparse_rows, flux_is_the_diagonal_minus_the_neighbours) {
  const sparse_rows k{{0, 1, 3}, {1, 0, 2}, {2, 2, 3}, {4, 5}};
  const std::vector<float> x{1, 10, 100};
  std::vector<float> y(2);
  for_each_flux(k, x.data(), [&](std::int32_t i, float flux, float) { y[static_cast<std::size_t>(i)] = flux; });
  EXPECT_EQ(y[0], 4 * 1 - 2 * 10);
  EXPECT_EQ(y[1], 5 * 10 - 2 * 1 - 3 * 100);
}

}  // namespace conduction_test
