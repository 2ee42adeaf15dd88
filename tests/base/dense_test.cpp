#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <osteon/base/dense.hpp>
#include <vector>

namespace osteon {
namespace {

// A matrix with known eigenvalues. The rows -1 2 -1 describe a string with fixed ends, with the eigenvalues 2 - 2 cos(k pi /
// (n + 1)).
TEST(dense, eigenvalues_of_a_string) {
  for (const int n : {1, 2, 3, 7, 20}) {
    const auto size = static_cast<std::size_t>(n);
    const std::vector<double> diagonal(size, 2), coupling(size - 1, -1);
    const std::vector<double> values = eigenvalues_of_tridiagonal(diagonal, coupling);
    ASSERT_EQ(values.size(), size);
    for (std::size_t k = 0; k < size; ++k)
      EXPECT_NEAR(values[k], 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(k + 1) / (n + 1)), 1e-13) << n;
  }
}

TEST(dense, vectors_of_a_symmetric_matrix) {
  const std::array<double, 16> a{4, 1, -2, 2, 1, 2, 0, 1, -2, 0, 3, -2, 2, 1, -2, -1};
  const symmetric_spectrum s = spectrum_of_symmetric(a, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    double length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      double product = 0;
      for (std::size_t j = 0; j < 4; ++j) product += a[4 * i + j] * s.vectors[k][j];
      EXPECT_NEAR(product, s.values[k] * s.vectors[k][i], 1e-13);
      length += s.vectors[k][i] * s.vectors[k][i];
    }
    EXPECT_NEAR(length, 1, 1e-14);
    if (k > 0) {
      EXPECT_LE(s.values[k - 1], s.values[k]);
    }
  }
}

TEST(dense, principal_axes_are_descending_and_point_forward) {
  // principal values 5, 2 and 1 along axes rotated by 30 degrees about z; the order of components is (z, y, x)
  const double c = std::sqrt(3) / 2, s = 0.5;
  const principal_axes axes =
      principal_axes_of({{{1, 0, 0}, {0, 5 * s * s + 2 * c * c, -3 * s * c}, {0, -3 * s * c, 5 * c * c + 2 * s * s}}});
  EXPECT_NEAR(axes.value[0], 5, 1e-14);
  EXPECT_NEAR(axes.value[1], 2, 1e-14);
  EXPECT_NEAR(axes.value[2], 1, 1e-14);
  EXPECT_NEAR(axes.direction[0][1], -s, 1e-14);
  EXPECT_NEAR(axes.direction[0][2], c, 1e-14);
  EXPECT_NEAR(axes.direction[1][1], c, 1e-14);
  EXPECT_NEAR(axes.direction[1][2], s, 1e-14);
  EXPECT_NEAR(axes.direction[2][0], 1, 1e-14);
}

// The map combines a rotation that shrinks by 0.9 with a direction that decays. The radius is 0.9, although no real
// eigenvalue has this absolute value.
TEST(dense, spectral_radius_of_a_damped_rotation) {
  std::vector<std::array<double, 3>> sequence{{1, 0, 1}};
  const double c = 0.9 * std::cos(0.7), s = 0.9 * std::sin(0.7);
  for (int n = 0; n < 6; ++n) {
    const auto [x, y, z] = sequence.back();
    sequence.push_back({c * x - s * y, s * x + c * y, 0.2 * z});
  }
  const std::size_t size = sequence.size();
  std::vector<double> gram(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < 3; ++k) gram[i * size + j] += sequence[i][k] * sequence[j][k];
  EXPECT_NEAR(spectral_radius_of_sequence(gram, static_cast<int>(size), 1e-10), 0.9, 1e-6);
  EXPECT_EQ(spectral_radius_of_sequence(std::vector<double>(9), 3, 1e-10), 0);  // no motion
}

TEST(dense, inverse_of_a_positive_matrix) {
  const std::array<double, 9> a{4, 1, 0.5, 1, 3, -1, 0.5, -1, 2};
  const std::vector<double> b = inverse_of_positive(a, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += a[3 * i + k] * b[3 * k + j];
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-14);
    }
}

// The points are (0, 1), (1, 3), (2, 5) and (3, 8). The normal equations yield the line 0.8 + 2.3 x.
TEST(dense, least_squares_of_a_line) {
  const std::array<double, 8> rows{1, 0, 1, 1, 1, 2, 1, 3};
  const std::vector<double> x = least_squares(rows, 2, std::array{1.0, 3.0, 5.0, 8.0});
  EXPECT_NEAR(x[0], 0.8, 1e-13);
  EXPECT_NEAR(x[1], 2.3, 1e-13);
}

}  // namespace
}  // namespace osteon
