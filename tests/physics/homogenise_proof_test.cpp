// Bounds and symmetries that a homogenised stiffness must have.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <osteon/kernel/elasticity/element_stiffness.hpp>
#include <osteon/physics/elasticity/solver/homogenise.hpp>
#include <random>

#include "elastic_model.hpp"

namespace homogenise_proof_test {

using namespace osteon;
using namespace osteon::elastic_model;
using matrix6 = Eigen::Matrix<double, 6, 6>;

const support nothing = [](index3, const axis_value&) {};

matrix6 matrix(const physics::voigt_matrix& c) {
  return Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(c[0].data());
}

constexpr auto kubc = physics::box_faces::kubc, periodic = physics::box_faces::periodic;

matrix6 stiffness_of(const model& m, physics::box_faces faces) {
  auto problem = make_problem(m, nothing);
  return matrix(physics::homogenise(problem, faces, 0.01, {1e-10, 500}, null_log()).stiffness_MPa);
}

matrix6 isotropic(double youngs_modulus, double ratio) {
  const kernel::lame m = kernel::lame_of(youngs_modulus, ratio);
  matrix6 c = matrix6::Zero();
  c.topLeftCorner<3, 3>().setConstant(m.lambda);
  for (int i = 0; i < 6; ++i) c(i, i) += i < 3 ? 2 * m.mu : m.mu;
  return c;
}

/// Smallest eigenvalue of a - b divided by the largest eigenvalue of a. If the result is positive, a is stiffer than b for
/// every strain.
double stiffer(const matrix6& a, const matrix6& b) {
  return Eigen::SelfAdjointEigenSolver<matrix6>(a - b).eigenvalues()[0] /
         Eigen::SelfAdjointEigenSolver<matrix6>(a).eigenvalues()[5];
}

/// Two phases of E = 1 and 10, nu = 0.3 and 0.2, at random.
model two_phases(index3 shape, vector3 spacing, unsigned seed, unsigned hard_in_ten) {
  model m = solid(shape, spacing);
  m.materials[2].poisson_ratio = 0.2;
  std::mt19937 random(seed);
  for (auto& voxel : m.voxels) voxel = static_cast<material_number>(random() % 10 < hard_in_ten ? 2 : 1);
  return m;
}

/// Balls of one phase at random in the other phase. The balls fill `part` of the image.
model balls(std::int64_t n, double radius, double part, material_number phase) {
  model m = solid({n, n, n});
  m.materials[2].poisson_ratio = 0.2;
  std::fill(m.voxels.begin(), m.voxels.end(), static_cast<material_number>(3 - phase));
  std::mt19937 random(1);
  for (double filled = 0; filled < part * static_cast<double>(m.shape.volume());) {
    double centre[3];
    for (double& c : centre) c = static_cast<double>(random()) / 4294967296.0 * static_cast<double>(n) - 0.5;
    for (std::int64_t z = 0; z < n; ++z)
      for (std::int64_t y = 0; y < n; ++y)
        for (std::int64_t x = 0; x < n; ++x)
          if (m.at(z, y, x) != phase && std::hypot(static_cast<double>(z) - centre[0], static_cast<double>(y) - centre[1],
                                                   static_cast<double>(x) - centre[2]) < radius)
            m.at(z, y, x) = phase, filled += 1;
  }
  return m;
}

double hard_fraction(const model& m) {
  return static_cast<double>(std::count(m.voxels.begin(), m.voxels.end(), material_number{2})) /
         static_cast<double>(m.voxels.size());
}

/// An image whose axis i is axis `from[i]` of m, reversed where `reversed[i]` is true.
model turned(const model& m, const std::array<int, 3>& from, const std::array<bool, 3>& reversed) {
  model t = m;
  for (int i = 0; i < 3; ++i)
    t.shape[i] = m.shape[from[static_cast<std::size_t>(i)]], t.spacing[i] = m.spacing[from[static_cast<std::size_t>(i)]];
  model source = m;
  index3 at;
  for (at.z = 0; at.z < t.shape.z; ++at.z)
    for (at.y = 0; at.y < t.shape.y; ++at.y)
      for (at.x = 0; at.x < t.shape.x; ++at.x) {
        index3 was;
        for (std::size_t i = 0; i < 3; ++i)
          was[from[i]] = reversed[i] ? t.shape[static_cast<int>(i)] - 1 - at[static_cast<int>(i)] : at[static_cast<int>(i)];
        t.at(at.z, at.y, at.x) = source.at(was.z, was.y, was.x);
      }
  return t;
}

/// The stiffness in rotated axes, by the rotation of the fourth-order tensor.
matrix6 turned(const matrix6& c, const std::array<int, 3>& from, const std::array<bool, 3>& reversed) {
  constexpr int axes[6][2] = {{2, 2}, {1, 1}, {0, 0}, {2, 1}, {1, 0}, {2, 0}};
  const auto place = [&](int i, int j) {
    for (int k = 0; k < 6; ++k)
      if ((axes[k][0] == i && axes[k][1] == j) || (axes[k][0] == j && axes[k][1] == i)) return k;
    return -1;
  };
  int old_place[6];
  double sign[6];
  for (int k = 0; k < 6; ++k) {
    const auto i = static_cast<std::size_t>(axes[k][0]), j = static_cast<std::size_t>(axes[k][1]);
    old_place[k] = place(from[i], from[j]);
    sign[k] = (reversed[i] ? -1 : 1) * (reversed[j] ? -1 : 1);
  }
  matrix6 t;
  for (int k = 0; k < 6; ++k)
    for (int l = 0; l < 6; ++l) t(k, l) = sign[k] * sign[l] * c(old_place[k], old_place[l]);
  return t;
}

// Oracle: the bounds of Voigt and Reuss, which are valid for every image with any statistics. Affine faces are a stronger
// constraint than periodic faces.
TEST(homogenise_proof, lies_between_the_bounds_of_voigt_and_reuss) {
  for (const unsigned hard_in_ten : {2U, 5U, 8U}) {
    const model m = two_phases({7, 8, 9}, {1, 0.8, 1.3}, hard_in_ten, hard_in_ten);
    const matrix6 affine = stiffness_of(m, kubc), repeated = stiffness_of(m, periodic);
    const double f = hard_fraction(m);
    const matrix6 voigt = f * isotropic(10, 0.2) + (1 - f) * isotropic(1, 0.3);
    const matrix6 reuss = (f * isotropic(10, 0.2).inverse() + (1 - f) * isotropic(1, 0.3).inverse()).inverse();
    EXPECT_GT(stiffer(voigt, affine), 1e-3) << hard_in_ten;
    EXPECT_GT(stiffer(affine, repeated), 1e-4) << hard_in_ten;
    EXPECT_GT(stiffer(repeated, reuss), 1e-3) << hard_in_ten;
  }
}

// Oracle: the bounds of Hashin and Shtrikman for isotropic media. Affine faces and voxels of one brick only increase the
// stiffness, so that the lower bounds are valid for any arrangement of the phases. The upper bounds are tested on hard balls
// in a soft matrix, whose stiffness is well below these bounds.
TEST(homogenise_proof, lies_between_the_bounds_of_hashin_and_shtrikman) {
  struct pair {
    double bulk, shear;
  };
  const pair soft{1 / 1.2, 1 / 2.6}, hard{10 / 1.8, 10 / 2.4};
  const auto bound = [](pair of, pair other, double others) {
    return pair{of.bulk + others / (1 / (other.bulk - of.bulk) + 3 * (1 - others) / (3 * of.bulk + 4 * of.shear)),
                of.shear + others / (1 / (other.shear - of.shear) + 6 * (of.bulk + 2 * of.shear) * (1 - others) /
                                                                        (5 * of.shear * (3 * of.bulk + 4 * of.shear)))};
  };
  for (const auto& [phase, part] : {std::pair{2, 0.2}, {2, 0.35}, {1, 0.2}, {1, 0.35}}) {
    const model m = balls(16, 3, part, static_cast<material_number>(phase));
    auto problem = make_problem(m, nothing);
    const auto k = physics::constants_of(
                       physics::homogenise(problem, physics::box_faces::kubc, 0.01, {1e-7, 500}, null_log()).stiffness_MPa)
                       .value();
    const double f = hard_fraction(m);
    const pair low = bound(soft, hard, f), high = bound(hard, soft, 1 - f);
    EXPECT_GT(k.bulk_reuss_MPa, low.bulk);
    EXPECT_GT(k.shear_reuss_MPa, low.shear);
    if (phase == 1) continue;
    EXPECT_LT(k.bulk_voigt_MPa, high.bulk);
    EXPECT_LT(k.shear_voigt_MPa, high.shear);
  }
}

// Invariant: the stiffness of a mirrored or rotated image is that of the image in mirrored or rotated axes.
TEST(homogenise_proof, turns_with_the_image) {
  const model m = two_phases({6, 7, 8}, {1, 0.8, 1.3}, 42, 5);
  const std::array<int, 3> same{0, 1, 2};
  for (const auto faces : {kubc, periodic}) {
    const matrix6 c = stiffness_of(m, faces);
    for (const auto& [from, reversed] : {std::pair{same, std::array{true, false, false}},
                                         {same, {false, true, false}},
                                         {same, {false, false, true}},
                                         {std::array{1, 0, 2}, {true, false, false}},  // a quarter turn about x
                                         {std::array{0, 2, 1}, {false, false, true}},
                                         {std::array{2, 1, 0}, {false, false, true}},
                                         {std::array{1, 2, 0}, {false, false, false}}}) {  // axes permuted
      const matrix6 expected = turned(c, from, reversed), found = stiffness_of(turned(m, from, reversed), faces);
      EXPECT_LT((found - expected).norm(), 1e-8 * c.norm()) << from[0] << from[1] << from[2];
      EXPECT_GT((found - c).norm(), 1e-4 * c.norm()) << "turning made no difference, so it was not tested";
    }
  }
}

// Oracle: the closed form of layered media (Backus), which is exact for periodic faces. Affine faces only increase the
// stiffness.
TEST(homogenise_proof, laminate_has_its_exact_constants) {
  model m = solid({8, 5, 6}, {0.5, 1, 1.2});
  for (std::int64_t z = 0; z < 8; ++z)
    for (std::int64_t y = 0; y < 5; ++y)
      for (std::int64_t x = 0; x < 6; ++x) m.at(z, y, x) = static_cast<material_number>(1 + z / 2 % 2);
  // The means over the layers of compliance, stiffness and coupling, in and across their planes.
  const double c1 = 0.7 / 0.52, soft = 1, hard = 10, ratio = 0.3 / 0.7;
  const double c33 = c1 * 2 / (1 / soft + 1 / hard), c13 = ratio * c33, mean = (soft + hard) / 2;
  const double c11 = c1 * mean * (1 - ratio * ratio) + ratio * ratio * c33, c66 = mean / 2.6,
               c44 = 2 / (2.6 / soft + 2.6 / hard);
  matrix6 exact = matrix6::Zero();
  exact.topLeftCorner<3, 3>() << c11, c11 - 2 * c66, c13, c11 - 2 * c66, c11, c13, c13, c13, c33;
  exact.diagonal().tail<3>() << c66, c44, c44;
  EXPECT_LT((stiffness_of(m, periodic) - exact).cwiseAbs().maxCoeff(), 1e-8);
  const double published[] = {6.493507, 2.447552, 0.6993007, 2.1153846, 2.262737, 1.048951};
  const double here[] = {c11, c33, c44, c66, c11 - 2 * c66, c13};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(here[i], published[i], 6e-7);
  EXPECT_GT(stiffer(stiffness_of(m, kubc), exact), -1e-9);
}

// Oracle: the bulk bound of Hashin and Shtrikman, which is exact to first order in the volume of a cavity. The result does
// not depend on the origin of the unit cell or on the number of cells in the box.
TEST(homogenise_proof, a_periodic_array_of_cavities_is_cubic) {
  model m = solid({12, 12, 12});
  double holes = 0;
  for (std::int64_t z = 0; z < 12; ++z)
    for (std::int64_t y = 0; y < 12; ++y)
      for (std::int64_t x = 0; x < 12; ++x) {  // in the corner of the box
        const auto off = [](std::int64_t i) {
          return std::min(static_cast<double>(i) + 0.5, 11.5 - static_cast<double>(i));
        };
        if (std::hypot(off(z), off(y), off(x)) < 3.6) m.at(z, y, x) = 0, holes += 1;
      }
  auto problem = make_problem(m, nothing);
  const auto found = physics::homogenise(problem, periodic, 0.01, {1e-9, 500}, null_log());
  const auto k = physics::constants_of(found.stiffness_MPa).value();
  const double f = holes / 1728, bulk = 1 / 1.2, shear = 1 / 2.6;
  EXPECT_LT(k.bulk_voigt_MPa, bulk + f / (3 * (1 - f) / (3 * bulk + 4 * shear) - 1 / bulk));
  EXPECT_LT(k.cubic_misfit, 1e-8);
  EXPECT_GT(k.isotropic_misfit, 1e-4);

  model two = solid({24, 12, 12});
  for (std::size_t i = 0; i < two.voxels.size(); ++i) two.voxels[i] = m.voxels[i % m.voxels.size()];
  model shifted = m;
  for (std::int64_t i = 0; i < 1728; ++i)
    shifted.at(i / 144, i / 12 % 12, i % 12) = m.at((i / 144 + 5) % 12, (i / 12 + 3) % 12, (i + 7) % 12);
  for (const model& other : {two, shifted})
    EXPECT_LT((stiffness_of(other, periodic) - matrix(found.stiffness_MPa)).norm(), 1e-7);
}

}  // namespace homogenise_proof_test
