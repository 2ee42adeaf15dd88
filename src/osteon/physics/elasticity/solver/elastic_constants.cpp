#include <osteon/physics/elasticity/solver/elastic_constants.hpp>

#include <Eigen/Core>
#include <cmath>
#include <osteon/base/dense.hpp>
#include <span>

namespace osteon::physics {

namespace {

using matrix6 = Eigen::Matrix<double, 6, 6>;

/// Sums over the groups of entries that are equal in a cubic stiffness.
struct sums {
  double normal, coupling, shear;
  explicit sums(const matrix6& m)
      : normal(m(0, 0) + m(1, 1) + m(2, 2)), coupling(m(0, 1) + m(1, 2) + m(0, 2)), shear(m(3, 3) + m(4, 4) + m(5, 5)) {}
};

matrix6 cubic(double normal, double coupling, double shear) {
  matrix6 m = matrix6::Zero();
  m.topLeftCorner<3, 3>().setConstant(coupling);
  m.diagonal() << normal, normal, normal, shear, shear, shear;
  return m;
}

/// Norm of the fourth-order tensor. Voigt notation requires weights for shear components.
double norm(const matrix6& stiffness) {
  const Eigen::Vector<double, 6> weight{1, 1, 1, std::sqrt(2), std::sqrt(2), std::sqrt(2)};
  return (weight.asDiagonal() * stiffness * weight.asDiagonal()).norm();
}

}  // namespace

std::optional<elastic_constants> constants_of(const voigt_matrix& stiffness_MPa) {
  using by_rows = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  const std::span<const double> entries(stiffness_MPa[0].data(), 36);
  const matrix6 c = Eigen::Map<const by_rows>(entries.data());
  const std::vector<double> values = eigenvalues_of_symmetric(entries, 6);
  if (!(values.front() > 1e-9 * values.back())) return std::nullopt;
  const std::vector<double> inverse = inverse_of_positive(entries, 6);
  const matrix6 s = Eigen::Map<const by_rows>(inverse.data());

  elastic_constants k;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      k.compliance_per_MPa[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = (s(i, j) + s(j, i)) / 2;
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    k.youngs_modulus_MPa[at] = 1 / s(i, i);
    k.shear_modulus_MPa[at] = 1 / s(3 + i, 3 + i);
    for (int j = 0; j < 3; ++j)
      if (i != j) k.poisson_ratio[at][static_cast<std::size_t>(j)] = -s(j, i) / s(i, i);
  }
  const sums of_c(c), of_s(s);
  k.bulk_voigt_MPa = (of_c.normal + 2 * of_c.coupling) / 9;
  k.shear_voigt_MPa = (of_c.normal - of_c.coupling + 3 * of_c.shear) / 15;
  k.bulk_reuss_MPa = 1 / (of_s.normal + 2 * of_s.coupling);
  k.shear_reuss_MPa = 15 / (4 * of_s.normal - 4 * of_s.coupling + 3 * of_s.shear);
  k.universal_anisotropy = 5 * k.shear_voigt_MPa / k.shear_reuss_MPa + k.bulk_voigt_MPa / k.bulk_reuss_MPa - 6;
  k.zener_ratio = 2 * of_c.shear / (of_c.normal - of_c.coupling);

  const double lambda = k.bulk_voigt_MPa - 2 * k.shear_voigt_MPa / 3;
  k.isotropic_misfit = norm(c - cubic(lambda + 2 * k.shear_voigt_MPa, lambda, k.shear_voigt_MPa)) / norm(c);
  k.cubic_misfit = norm(c - cubic(of_c.normal / 3, of_c.coupling / 3, of_c.shear / 3)) / norm(c);
  matrix6 off = c;
  off.topLeftCorner<3, 3>().setZero();
  off.diagonal().setZero();
  k.orthotropic_misfit = norm(off) / norm(c);
  return k;
}

}  // namespace osteon::physics
