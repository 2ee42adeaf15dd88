#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "physics/flow_images.hpp"

namespace flow_packs_test {

using namespace osteon;
using namespace flow_images;
using physics::flow_surroundings;

const physics::flow_options usual{1e-4, 1, 300, false};

// Spheres at the given points of a periodic cube of n voxels. Voxels whose centres are inside a sphere are solid.
image pack(std::int64_t n, double solid_share, const std::vector<vector3>& points) {
  const double radius =
      std::cbrt(3 * solid_share / (4 * std::numbers::pi * static_cast<double>(points.size()))) * static_cast<double>(n);
  return {{n, n, n}, [&, radius](index3 p) {
            for (const vector3& c : points) {
              double square = 0;
              for (int a = 0; a < 3; ++a) {
                double d = std::abs(static_cast<double>(p[a]) + 0.5 - c[a] * static_cast<double>(n));
                d = std::min(d, static_cast<double>(n) - d);
                square += d * d;
              }
              if (square < radius * radius) return 0;
            }
            return 1;
          }};
}

double error_of(const image& img, double exact, axis along = axis::x) {
  const auto answer = solve_one(MPI_COMM_WORLD, img, along, flow_surroundings::periodic, usual);
  return answer.permeability_mm2 / static_cast<double>(img.shape.x * img.shape.x) / exact - 1;
}

// Oracle: drag coefficients of cubic packs [ZickHomsy1982]. The discretisation errors decrease with the voxel size.
TEST(flow_packs, of_spheres_approach_published_drag) {
  const std::vector<vector3> simple{{0.5, 0.5, 0.5}}, centred{{0, 0, 0}, {0.5, 0.5, 0.5}};
  EXPECT_LT(std::abs(error_of(pack(32, 0.5236, simple), 2.5203e-3)), 0.015);
  EXPECT_LT(std::abs(error_of(pack(64, 0.5236, simple), 2.5203e-3)), 0.009);
  EXPECT_LT(std::abs(error_of(pack(32, 0.216, simple), 1.9151e-2)), 0.012);
  EXPECT_LT(std::abs(error_of(pack(32, 0.6802, centred), 3.7603e-4, axis::z)), 0.052);
}

// k / n^2 of a simple cubic pack of spheres, with any solid fraction up to 0.5236. 1 / K of [ZickHomsy1982], table 2, is
// written as a polynomial in the cube root of the solid fraction. The polynomial is 1 at 0 and matches the table to 0.3 %.
class cubic_packs {
 public:
  cubic_packs() {
    const std::array<std::array<double, 2>, 8> table{{{0, 1},
                                                      {0.027, 2.008},
                                                      {0.064, 2.810},
                                                      {0.125, 4.292},
                                                      {0.216, 7.442},
                                                      {0.343, 15.4},
                                                      {0.45, 28.1},
                                                      {0.5236, 42.1}}};
    Eigen::Matrix<double, 8, 6> powers;
    Eigen::Matrix<double, 8, 1> right;
    for (Eigen::Index i = 0; i < 8; ++i) {
      const auto& [share, drag] = table[static_cast<std::size_t>(i)];
      for (Eigen::Index n = 0; n < 6; ++n) powers(i, n) = std::pow(std::cbrt(share), static_cast<double>(n));
      right(i) = 1 / drag;
    }
    fit_ = powers.colPivHouseholderQr().solve(right);
    EXPECT_LT((powers * fit_ - right).cwiseQuotient(right).cwiseAbs().maxCoeff(), 3e-3);
  }
  double permeability(double share) const {
    double inverse = 0;
    for (Eigen::Index n = 0; n < 6; ++n) inverse += fit_(n) * std::pow(std::cbrt(share), static_cast<double>(n));
    return inverse / (6 * std::numbers::pi * std::cbrt(3 * share / (4 * std::numbers::pi)));
  }

 private:
  Eigen::Matrix<double, 6, 1> fit_;
};

// Oracle: the table of [ZickHomsy1982] at the solid fraction of the voxels. If there are few voxels, this fraction differs
// from the fraction of the spheres by several per cent. Voxels of half the size reduce the error to less than a quarter,
// over several packs.
TEST(flow_packs, of_spheres_approach_it_to_second_order) {
  if (comm::size(MPI_COMM_WORLD) > 1) return;
  const cubic_packs exact;
  std::vector<double> errors;  // root mean square error, by number of voxels per edge
  for (const std::int64_t n : {8, 16, 32}) {
    double sum = 0;
    const std::vector<double> shares{0.064, 0.125, 0.216, 0.343, 0.45};
    for (const double share : shares) {
      const image img = pack(n, share, {{0.5, 0.5, 0.5}});
      const double solid =
          static_cast<double>(std::count(img.voxels.begin(), img.voxels.end(), 0)) / static_cast<double>(img.shape.volume());
      sum += std::pow(error_of(img, exact.permeability(solid)), 2);
    }
    errors.push_back(std::sqrt(sum / static_cast<double>(shares.size())));
  }
  EXPECT_LT(errors[2], 0.008);
  EXPECT_GT(std::log2(errors[0] / errors[1]), 2);
  EXPECT_GT(std::log2(errors[1] / errors[2]), 2);
}

// Oracle: a square array of cylinders at a solid fraction of 0.3. Across the flow, F / (mu U) = 102.90 [SanganiAcrivos]. For
// flow along the cylinders, the oracle is [DrummondTahir].
TEST(flow_packs, of_cylinders_approach_published_drag) {
  if (comm::size(MPI_COMM_WORLD) > 1) return;
  const auto array = [](std::int64_t n) {
    const double radius = std::sqrt(0.3 / std::numbers::pi) * static_cast<double>(n), middle = static_cast<double>(n) / 2;
    return image({1, n, n}, [=](index3 p) {
      return std::hypot(static_cast<double>(p.y) + 0.5 - middle, static_cast<double>(p.x) + 0.5 - middle) >= radius;
    });
  };
  EXPECT_LT(std::abs(error_of(array(32), 1 / 102.90)), 0.042);
  EXPECT_LT(std::abs(error_of(array(64), 1 / 102.90)), 0.012);
  const double c = 0.3, along = (-std::log(c) - 1.476 + 2 * c - c * c / 2 - 0.0186 * std::pow(c, 4)) / (4 * c);  // k / a^2
  EXPECT_LT(std::abs(error_of(array(64), along * c / std::numbers::pi, axis::z)), 0.007);
}

// Invariants: the tensor is symmetric to the tolerance of the solver and positive definite. Its principal values are those
// of a rotated image.
TEST(flow_packs, have_a_symmetric_positive_tensor) {
  const image img = heat_images::random_porous({20, 18, 16}, 11, 1);
  const auto all = physics::solve_permeability(
      make_problem(MPI_COMM_WORLD, img, {axis::z, axis::y, axis::x}, flow_surroundings::periodic), usual, null_log());
  EXPECT_LT(all.asymmetry, 1e-3);
  EXPECT_GT(all.principal_mm2[2], 0);
  EXPECT_GE(all.principal_mm2[0], all.principal_mm2[1]);
  EXPECT_GE(all.principal_mm2[1], all.principal_mm2[2]);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(all.tensor_mm2[i][j], all.tensor_mm2[j][i]);
      EXPECT_NEAR(all.tensor_mm2[i][j], all.directions[j].column_mm2[i], 2e-4 * all.principal_mm2[0]);
    }
}

}  // namespace flow_packs_test
