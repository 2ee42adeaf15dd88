#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <osteon/physics/elasticity/solver/elastic_constants.hpp>

namespace orthotropic_frame_test {

using namespace osteon::physics;

constexpr int place(int i, int j) { return i == j ? i : i + j == 1 ? 3 : i + j == 3 ? 4 : 5; }

/// The definition of the components along the rows of `axes`, by four sums over the fourth-order tensor.
voigt_matrix along(const Eigen::Matrix3d& axes, const voigt_matrix& c) {
  voigt_matrix turned{};
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        for (int l = k; l < 3; ++l)
          for (int p = 0; p < 81; ++p) {
            const int a = p / 27, b = p / 9 % 3, d = p / 3 % 3, e = p % 3;
            turned[static_cast<std::size_t>(place(i, j))][static_cast<std::size_t>(place(k, l))] +=
                axes(i, a) * axes(j, b) * axes(k, d) * axes(l, e) *
                c[static_cast<std::size_t>(place(a, b))][static_cast<std::size_t>(place(d, e))];
          }
  return turned;
}

voigt_matrix orthotropic(std::array<double, 9> k) {
  voigt_matrix c{};
  for (std::size_t i = 0; i < 3; ++i) c[i][i] = k[i], c[3 + i][3 + i] = k[6 + i];
  c[0][1] = c[1][0] = k[3], c[1][2] = c[2][1] = k[4], c[0][2] = c[2][0] = k[5];
  return c;
}

Eigen::Matrix3d rotation(double angle, const Eigen::Vector3d& about) {
  return Eigen::AngleAxisd(angle, about.normalized()).toRotationMatrix();
}

void expect_equal(const voigt_matrix& found, const voigt_matrix& expected, double tolerance) {
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(found[i][j], expected[i][j], tolerance) << i << j;
}

// Oracle: the stiffness and the axes from which it was rotated. For a cubic stiffness, second-order tensors yield no axes. A
// cubic stiffness is orthotropic along more than one set of axes.
TEST(orthotropic_frame, is_found_again) {
  const auto three = orthotropic({5, 7, 11, 2, 2.5, 3, 1.5, 2, 2.8}), one = orthotropic({5, 5, 11, 2, 3, 3, 1.5, 2, 2}),
             cubic = orthotropic({5, 5, 5, 2, 2, 2, 2.5, 2.5, 2.5});
  for (const double angle : {0.2, 0.5})
    for (const auto& made : {three, one, cubic}) {
      const auto frame = best_orthotropic_frame(along(rotation(angle, {1, -2, 0.5}).transpose(), made));
      EXPECT_LT(constants_of(frame.stiffness_MPa).value().orthotropic_misfit, 1e-7);
      if (made != cubic) expect_equal(frame.stiffness_MPa, made, 1e-7);
    }
  const Eigen::Matrix3d axes = rotation(0.4, {1, -2, 0.5});
  const auto frame = best_orthotropic_frame(along(axes.transpose(), three));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(frame.axes[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], axes(i, j), 1e-6);
}

// Invariant: the axes are a rotation. The stiffness satisfies its definition, and no frame nearby is better.
TEST(orthotropic_frame, of_a_general_stiffness_is_a_minimum) {
  voigt_matrix c = orthotropic({5, 7, 11, 2, 2.5, 3, 1.5, 2, 2.8});
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 3; j < 6; ++j)
      if (i != j) c[i][j] = c[j][i] = 0.3 * std::sin(static_cast<double>(i + j + i * j));
  const auto frame = best_orthotropic_frame(c);
  Eigen::Matrix3d axes;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) axes(i, j) = frame.axes[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  EXPECT_LT((axes * axes.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-12);
  EXPECT_NEAR(axes.determinant(), 1, 1e-12);
  expect_equal(frame.stiffness_MPa, along(axes, c), 1e-11);
  const double least = constants_of(frame.stiffness_MPa).value().orthotropic_misfit;
  EXPECT_LT(least, constants_of(c).value().orthotropic_misfit);
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Vector3d about(std::cos(trial), std::sin(2.0 * trial), std::cos(3.0 * trial));
    const double angle = trial % 2 ? 0.01 : 0.1 * trial;
    EXPECT_GT(constants_of(along(rotation(angle, about) * axes, c)).value().orthotropic_misfit, least - 1e-9);
  }
}

// Oracle: an isotropic material has no axes. The result is the axes of the image.
TEST(orthotropic_frame, of_an_isotropic_material_is_the_image) {
  const auto frame = best_orthotropic_frame(orthotropic({3, 3, 3, 1, 1, 1, 1, 1, 1}));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(frame.axes[i][j], i == j ? 1 : 0);
}

}  // namespace orthotropic_frame_test
