#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <osteon/kernel/elasticity/symmetric_tensor.hpp>
#include <random>

namespace symmetric_tensor_test {

using namespace osteon::kernel;

Eigen::Matrix3d matrix_of(const voigt& t) {
  Eigen::Matrix3d a;
  a << t[0], t[3], t[5], t[3], t[1], t[4], t[5], t[4], t[2];
  return a;
}

voigt voigt_of(const Eigen::Matrix3d& a) { return {a(0, 0), a(1, 1), a(2, 2), a(0, 1), a(1, 2), a(0, 2)}; }

void expect_principal(const voigt& t) {
  const principal_axes found = principal(t);
  const Eigen::Matrix3d a = matrix_of(t);
  const double scale = a.norm();
  const Eigen::Vector3d values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(a).eigenvalues();
  Eigen::Matrix3d directions;
  for (int n = 0; n < 3; ++n) {
    EXPECT_NEAR(found.value[static_cast<std::size_t>(n)], values[2 - n], 4e-15 * scale);
    for (int k = 0; k < 3; ++k) directions(k, n) = found.direction[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)];
    EXPECT_LE((a * directions.col(n) - values[2 - n] * directions.col(n)).norm(), 8e-15 * scale);
    EXPECT_GT(directions.col(n).maxCoeff(), -directions.col(n).minCoeff() - 1e-12);
  }
  EXPECT_LE((directions.transpose() * directions - Eigen::Matrix3d::Identity()).norm(), 4e-15);
}

// Oracle: the self-adjoint solver of Eigen, and the equation A v = s v.
TEST(symmetric_tensor, has_the_principal_values_and_directions_of_random_tensors) {
  std::mt19937 generator(1);
  std::normal_distribution<double> value;
  std::uniform_real_distribution<double> exponent(-12, 12);
  for (int i = 0; i < 2000; ++i) {
    voigt t;
    for (double& x : t) x = value(generator) * std::pow(10, i % 2 ? exponent(generator) : 0);
    expect_principal(t);
  }
}

// Oracle: tensors constructed from their principal values. The values are equal or differ only by rounding.
TEST(symmetric_tensor, is_not_confused_by_repeated_values) {
  std::mt19937 generator(2);
  std::normal_distribution<double> value;
  for (int i = 0; i < 500; ++i) {
    Eigen::Matrix3d random;
    for (int k = 0; k < 9; ++k) random(k / 3, k % 3) = value(generator);
    const Eigen::Matrix3d q = Eigen::HouseholderQR<Eigen::Matrix3d>(random).householderQ();
    for (const Eigen::Vector3d& values : {Eigen::Vector3d(2, 2, 1), Eigen::Vector3d(2, 1, 1), Eigen::Vector3d(-3, -3, -3),
                                          Eigen::Vector3d(1, 1 + 1e-15, 1 - 1e-15), Eigen::Vector3d(1e9, 1e-9, 0)}) {
      const Eigen::Matrix3d a = q * values.asDiagonal() * q.transpose();
      expect_principal(voigt_of((a + a.transpose()) / 2));
    }
  }
  expect_principal({});
  expect_principal({1, 1, 1, 0, 0, 0});
  expect_principal({0, 0, 0, 1, 0, 0});
  expect_principal({0, 0, 0, 1, 1, 1});
}

// Oracle: computed by hand for uniaxial stress, pure shear and pressure.
TEST(symmetric_tensor, has_the_von_mises_stress_of_simple_states) {
  EXPECT_DOUBLE_EQ(von_mises({-7, 0, 0, 0, 0, 0}), 7);
  EXPECT_DOUBLE_EQ(von_mises({0, 0, 0, 0, 2, 0}), 2 * std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(von_mises({5, 5, 5, 0, 0, 0}), 0);
}

// Oracle: computed by hand for E = 10 and nu = 0.25, under uniaxial stress 3 and shear 2.
TEST(symmetric_tensor, follows_hookes_law) {
  const double e = 10, nu = 0.25, g = e / (2 * (1 + nu));
  const voigt stress = stress_of({3 / e, -nu * 3 / e, -nu * 3 / e, 0, 2 / g, 0}, lame_of(e, nu));
  const voigt expected{3, 0, 0, 0, 2, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(stress[i], expected[i], 1e-14);
}

}  // namespace symmetric_tensor_test
