#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/kernel/elasticity/deformation_parts.hpp>
#include <osteon/kernel/elasticity/matrix_factor.hpp>
#include <random>

namespace matrix_factor_test {

using namespace osteon;
using kernel::matrix_factor;

constexpr std::size_t n = matrix_factor::rows;
using vector = std::array<double, n>;

double dot(const vector& a, const vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

struct spectrum {
  std::array<vector, n> direction;  // orthonormal
  vector value;
  std::array<double, 576> matrix() const {
    std::array<double, 576> k{};
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) k[24 * i + j] += value[m] * direction[m][i] * direction[m][j];
    return k;
  }
};

// Random directions with eigenvalues from `largest` to `softest` times `largest`.
spectrum random_spectrum(unsigned seed, double largest, double softest) {
  std::mt19937 random(seed);
  std::normal_distribution<double> value;
  spectrum s{};
  for (std::size_t m = 0; m < n; ++m) {
    vector& d = s.direction[m];
    for (double& x : d) x = value(random);
    for (int repeat = 0; repeat < 2; ++repeat)
      for (std::size_t k = 0; k < m; ++k) {
        const double by = dot(d, s.direction[k]);
        for (std::size_t i = 0; i < n; ++i) d[i] -= by * s.direction[k][i];
      }
    const double norm = std::sqrt(dot(d, d));
    for (double& x : d) x /= norm;
    s.value[m] = largest * std::pow(softest, static_cast<double>(m) / (n - 1));
  }
  return s;
}

vector times_transpose(const std::array<double, n * n>& lower, const vector& x) {
  vector y{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) y[j] += lower[n * i + j] * x[i];
  return y;
}

// Oracle: the eigenvalues. Rounded matrix entries would change the softest energies by more than their value.
TEST(matrix_factor, preserves_the_energy_of_soft_deformations) {
  for (const double largest : {1e-20, 1.0, 1e9})
    for (unsigned seed = 0; seed < 20; ++seed) {
      const spectrum s = random_spectrum(seed, largest, 1e-6);
      const auto lower = matrix_factor(s.matrix()).lower();
      for (std::size_t m = 0; m < n; ++m) {
        const vector t = times_transpose(lower, s.direction[m]);
        EXPECT_NEAR(dot(t, t) / s.value[m], 1, 2e-4 / std::sqrt(s.value[m] / largest)) << m;
      }
    }
}

// Oracle: the exact factor of a diagonal matrix; entries of zero remain zero, and so does the column of a pivot of zero.
TEST(matrix_factor, represents_singular_matrices) {
  std::array<double, 576> k{};
  for (std::size_t i = 0; i < n; i += 2) k[25 * i] = std::pow(10.0, static_cast<double>(i) - 8);
  const auto lower = matrix_factor(k).lower();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(lower[n * i + j], i == j ? std::sqrt(k[25 * i]) : 0, 2e-5 * std::sqrt(k[25 * i])) << i << ' ' << j;
}

// Oracle: the product with the unpacked factors, one by one.
TEST(matrix_factor, multiplies_eight_vectors) {
  using namespace kernel::deformation_parts;
  kernel::batch_factor batch;
  std::vector<std::array<double, n * n>> lower;
  for (std::size_t b = 0; b < 8; ++b) {
    const matrix_factor factor(random_spectrum(static_cast<unsigned>(b), std::pow(10.0, b), 1e-6).matrix());
    lower.push_back(factor.lower());
    for (std::size_t w = 0; w < factor.word.size(); ++w) batch.word[w][b] = factor.word[w];
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  float8 x[all_modes][3]{}, y[all_modes][3]{};
  for (auto& triple : x)
    for (float8& v : triple)
      for (int b = 0; b < 8; ++b) v[b] = value(random);
  multiply_factored(batch, x, y);
  for (int b = 0; b < 8; ++b) {
    vector from;
    for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<double>(x[i / 3][i % 3][b]);
    const vector t = times_transpose(lower[static_cast<std::size_t>(b)], from);
    for (std::size_t i = 0; i < n; ++i) {
      double expected = 0;
      for (std::size_t j = 0; j <= i; ++j) expected += lower[static_cast<std::size_t>(b)][n * i + j] * t[j];
      EXPECT_NEAR(static_cast<double>(y[i / 3][i % 3][b]) / std::pow(10.0, b), expected / std::pow(10.0, b), 3e-6)
          << b << ' ' << i;
    }
  }
}

}  // namespace matrix_factor_test
