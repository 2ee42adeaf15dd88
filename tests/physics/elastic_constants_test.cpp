#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <osteon/physics/elasticity/solver/elastic_constants.hpp>

namespace elastic_constants_test {

using namespace osteon::physics;

voigt_matrix orthotropic(double c11, double c22, double c33, double c12, double c23, double c13, double c44, double c55,
                         double c66) {
  voigt_matrix c{};
  c[0][0] = c11, c[1][1] = c22, c[2][2] = c33, c[3][3] = c44, c[4][4] = c55, c[5][5] = c66;
  c[0][1] = c[1][0] = c12, c[1][2] = c[2][1] = c23, c[0][2] = c[2][0] = c13;
  return c;
}
voigt_matrix cubic(double c11, double c12, double c44) { return orthotropic(c11, c11, c11, c12, c12, c12, c44, c44, c44); }

// Oracle: Hooke's law with E = 10 and nu = 0.3.
TEST(elastic_constants, of_an_isotropic_material) {
  const double e = 10, nu = 0.3, lambda = e * nu / (1.3 * 0.4), mu = e / 2.6;
  const auto k = constants_of(cubic(lambda + 2 * mu, lambda, mu)).value();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(k.youngs_modulus_MPa[i], e, 1e-12);
    EXPECT_NEAR(k.shear_modulus_MPa[i], mu, 1e-12);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(k.poisson_ratio[i][j], i == j ? 0 : nu, 1e-13);
  }
  EXPECT_NEAR(k.bulk_voigt_MPa, e / (3 * 0.4), 1e-12);
  EXPECT_NEAR(k.shear_voigt_MPa, mu, 1e-12);
  EXPECT_NEAR(k.bulk_reuss_MPa, e / (3 * 0.4), 1e-12);
  EXPECT_NEAR(k.shear_reuss_MPa, mu, 1e-12);
  EXPECT_NEAR(k.universal_anisotropy, 0, 1e-12);
  EXPECT_NEAR(k.zener_ratio, 1, 1e-12);
  EXPECT_NEAR(k.isotropic_misfit, 0, 1e-14);
}

// Oracle: computed by hand for copper with 168.4, 121.4 and 75.4 GPa, A = 2 C44 / (C11 - C12) and A^U = 6/5 (sqrt A - 1 /
// sqrt A)^2 ([Ranganathan2008]).
TEST(elastic_constants, of_a_cubic_crystal) {
  const auto k = constants_of(cubic(168.4, 121.4, 75.4)).value();
  const double zener = 2 * 75.4 / 47.0;
  EXPECT_NEAR(k.zener_ratio, zener, 1e-12);
  EXPECT_NEAR(k.universal_anisotropy, 1.2 * std::pow(std::sqrt(zener) - 1 / std::sqrt(zener), 2), 1e-11);
  EXPECT_NEAR(k.bulk_reuss_MPa, k.bulk_voigt_MPa, 1e-11);
  EXPECT_NEAR(k.cubic_misfit, 0, 1e-14);
  EXPECT_GT(k.isotropic_misfit, 0.1);
}

// Oracle: the definition. A compliance is computed from the values E_i, nu_ij and G_ij. These values are recovered, and
// nu_ij / E_i = nu_ji / E_j.
TEST(elastic_constants, of_an_orthotropic_material) {
  const double e[3] = {2, 3, 5}, g[3] = {0.7, 0.9, 1.1}, nu01 = 0.2, nu12 = 0.25, nu02 = 0.15;
  Eigen::Matrix<double, 6, 6> s = Eigen::Matrix<double, 6, 6>::Zero();
  for (int i = 0; i < 3; ++i) s(i, i) = 1 / e[i], s(3 + i, 3 + i) = 1 / g[i];
  s(0, 1) = s(1, 0) = -nu01 / e[0];
  s(1, 2) = s(2, 1) = -nu12 / e[1];
  s(0, 2) = s(2, 0) = -nu02 / e[0];
  const Eigen::Matrix<double, 6, 6> c = s.inverse();
  auto stiffness = orthotropic(c(0, 0), c(1, 1), c(2, 2), c(0, 1), c(1, 2), c(0, 2), c(3, 3), c(4, 4), c(5, 5));
  const auto k = constants_of(stiffness).value();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(k.youngs_modulus_MPa[i], e[i], 1e-12);
    EXPECT_NEAR(k.shear_modulus_MPa[i], g[i], 1e-12);
  }
  EXPECT_NEAR(k.poisson_ratio[0][1], nu01, 1e-12);
  EXPECT_NEAR(k.poisson_ratio[1][2], nu12, 1e-12);
  EXPECT_NEAR(k.poisson_ratio[0][2], nu02, 1e-12);
  EXPECT_NEAR(k.poisson_ratio[1][0], nu01 * e[1] / e[0], 1e-12);
  EXPECT_EQ(k.orthotropic_misfit, 0);
  EXPECT_GT(k.cubic_misfit, 0.1);

  // extension causes shear, so that the material is not orthotropic along these axes
  stiffness[0][3] = stiffness[3][0] = 0.1;
  // By hand: C_xxxy occurs at four places of the tensor. An entry of the matrix occurs twice for each shear index.
  double square = 0;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) square += stiffness[i][j] * stiffness[i][j] * (i < 3 ? 1 : 2) * (j < 3 ? 1 : 2);
  EXPECT_NEAR(constants_of(stiffness).value().orthotropic_misfit, 0.2 / std::sqrt(square), 1e-13);
}

// Oracle: the contract. A material without shear stiffness has no compliance.
TEST(elastic_constants, are_none_without_resistance) {
  EXPECT_FALSE(constants_of(cubic(2, 1, 0)));
  EXPECT_FALSE(constants_of(cubic(1, 2, 1)));
  EXPECT_FALSE(constants_of({}));
}

}  // namespace elastic_constants_test
