#include <gtest/gtest.h>

#include <osteon/kernel/conduction.hpp>
#include <osteon/kernel/sparse_rows.hpp>
#include <random>
#include <vector>

using namespace osteon::kernel;

namespace {

// Two rows of a plane, five cells each, with a wall row behind the front row: a numbering made by hand.
//   row y = 0: cells 0 .. 4, wall cells 10 .. 14 in front of it; row y = 1: cells 5 .. 9; x = 2 | 3 is insulated in row 1.
struct two_rows {
  std::vector<conduction_segment> uniform, mixed;
  std::vector<std::uint8_t> material{1, 1, 2, 2, 3, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0};

  two_rows() {
    mixed.push_back({0, 5, 0, 0, 10, 5, 0, 4});
    mixed.push_back({5, 3, 5, 5, 0, 5, 5, 7});
    mixed.push_back({8, 2, 8, 8, 3, 8, 8, 9});
  }
  template <class T>
  conduction_stencil<T> stencil() const {
    conduction_stencil<T> k{uniform, mixed, material.data(), {}, {}};
    k.resistivity = {T(0), T(1), T(0.25), T(10)};
    k.face = {T(2), T(3), T(5)};
    return k;
  }
};

// The dense matrix from a plain list of faces: cell, cell or wall, axis.
std::vector<std::vector<double>> dense_reference() {
  const two_rows rows;
  const auto k = rows.stencil<double>();
  std::vector<std::vector<double>> matrix(10, std::vector<double>(15));
  const auto add = [&](int i, int j, std::size_t axis) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    const double half_i = k.resistivity[rows.material[a]] / k.face[axis],
                 half_j = k.resistivity[rows.material[b]] / k.face[axis];
    const double g = 1 / (half_i + half_j);
    matrix[a][a] += g;
    matrix[a][b] -= g;
    if (j >= 10) return;
    matrix[b][b] += g;
    matrix[b][a] -= g;
  };
  for (int x = 0; x < 5; ++x) {
    add(x, 10 + x, 1);
    add(x, 5 + x, 1);
    if (x < 4) add(x, x + 1, 2);
    if (x < 4 && x != 2) add(5 + x, 6 + x, 2);
  }
  return matrix;
}

}  // namespace

// Oracle: a dense matrix assembled face by face.
TEST(conduction, operator_equals_the_dense_matrix_with_walls_and_insulated_faces) {
  const two_rows rows;
  const auto matrix = dense_reference();
  std::mt19937 random(3);
  std::vector<double> x(15);
  for (double& value : x) value = std::uniform_real_distribution<>(-1, 1)(random);
  std::vector<double> y(10);

  for_each_flux(rows.stencil<double>(), x.data(),
                [&](std::int32_t i, double flux) { y[static_cast<std::size_t>(i)] = flux; });

  for (std::size_t i = 0; i < 10; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < 15; ++j) expected += matrix[i][j] * x[j];
    EXPECT_NEAR(y[i], expected, 1e-13);
  }
}

// Oracle: the same dense matrix; every off-diagonal entry is one face.
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

// Oracle: the mixed path, which makes no assumption about the materials.
TEST(conduction, uniform_path_equals_the_mixed_path) {
  std::vector<std::uint8_t> material(40, 2);
  std::vector<conduction_segment> segments;
  for (std::int32_t row = 0; row < 4; ++row) {
    const std::int32_t first = 10 * row, front = row > 0 ? first - 10 : first, back = row < 3 ? first + 10 : first;
    segments.push_back({first, 1, first, first, front, back, first, first + 1});
    segments.push_back({first + 1, 9, first + 1, first + 1, front + 1, back + 1, first, first + 9});
  }
  conduction_stencil<float> uniform{segments, {}, material.data(), {}, {2, 3, 5}};
  uniform.resistivity[2] = 0.7F;
  conduction_stencil<float> mixed = uniform;
  std::swap(mixed.uniform, mixed.mixed);
  std::vector<float> x(40), a(40), b(40);
  std::mt19937 random(5);
  for (float& value : x) value = std::uniform_real_distribution<float>(-1, 1)(random);

  for_each_flux(uniform, x.data(), [&](std::int32_t i, float flux) { a[static_cast<std::size_t>(i)] = flux; });
  for_each_flux(mixed, x.data(), [&](std::int32_t i, float flux) { b[static_cast<std::size_t>(i)] = flux; });

  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(a[i], b[i], 2e-5F);
}

// Oracle: hand values of a path of three points, the last one a ghost.
TEST(sparse_rows, flux_is_the_diagonal_minus_the_neighbours) {
  const sparse_rows k{{0, 1, 3}, {1, 0, 2}, {2, 2, 3}, {4, 5}};
  const std::vector<float> x{1, 10, 100};
  std::vector<float> y(2);
  for_each_flux(k, x.data(), [&](std::int32_t i, float flux) { y[static_cast<std::size_t>(i)] = flux; });
  EXPECT_EQ(y[0], 4 * 1 - 2 * 10);
  EXPECT_EQ(y[1], 5 * 10 - 2 * 1 - 3 * 100);
}
