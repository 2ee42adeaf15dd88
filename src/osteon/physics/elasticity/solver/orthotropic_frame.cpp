#include <osteon/base/at.hpp>
#include <osteon/physics/elasticity/solver/elastic_constants.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

namespace osteon::physics {

namespace {

using matrix6 = Eigen::Matrix<double, 6, 6>;
using Eigen::Matrix3d;
constexpr int first[6] = {0, 1, 2, 0, 1, 0}, second[6] = {0, 1, 2, 1, 2, 2};  // x, y, z of xx, yy, zz, xy, yz, xz

/// Convert Voigt's notation to Kelvin's notation. In Kelvin's notation, rotations are orthogonal matrices, and the
/// Frobenius norm is the tensor norm.
matrix6 kelvin(const voigt_matrix& c) {
  matrix6 m;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) m(i, j) = c[at(i)][at(j)] * std::sqrt((i < 3 ? 1 : 2) * (j < 3 ? 1 : 2));
  return m;
}

voigt_matrix voigt(const matrix6& m) {
  voigt_matrix c;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) c[at(i)][at(j)] = m(i, j) / std::sqrt((i < 3 ? 1 : 2) * (j < 3 ? 1 : 2));
  return c;
}

/// Components of a stiffness in the frame of the rows of `axes`.
matrix6 in_frame(const Matrix3d& axes, const matrix6& c) {
  matrix6 turn;
  for (int k = 0; k < 6; ++k)
    for (int l = 0; l < 6; ++l) {
      const int i = first[k], j = second[k], p = first[l], q = second[l];
      const double sum = axes(i, p) * axes(j, q) + axes(i, q) * axes(j, p);
      turn(k, l) = k < 3 ? (l < 3 ? sum / 2 : sum / std::numbers::sqrt2) : (l < 3 ? sum / std::numbers::sqrt2 : sum);
    }
  return turn * c * turn.transpose();
}

/// Squared norm of the entries that are zero in an orthotropic stiffness.
double excess(const Matrix3d& axes, const matrix6& c) {
  matrix6 m = in_frame(axes, c);
  m.topLeftCorner<3, 3>().setZero();
  m.diagonal().setZero();
  return m.squaredNorm();
}

Matrix3d turned(const Matrix3d& axes, int about, double angle) {
  return Eigen::AngleAxisd(angle, Eigen::Vector3d::Unit(about)).toRotationMatrix() * axes;
}

/// Rotate about an axis to the minimum of the excess. The excess has a period of 90 degrees.
Matrix3d best_turn(const Matrix3d& axes, int about, const matrix6& c) {
  constexpr int samples = 16;
  constexpr double step = std::numbers::pi / 2 / samples;
  const auto value = [&](double angle) { return excess(turned(axes, about, angle), c); };
  double best = 0, least = value(0);
  for (int i = 1; i < samples; ++i)
    if (const double v = value(i * step); v < least) least = v, best = i * step;
  double low = best - step, high = best + step;
  for (int i = 0; i < 50; ++i) {  // the interval shrinks by a third in each step, to rounding
    const double third = (high - low) / 3;
    if (value(low + third) < value(high - third))
      high -= third;
    else
      low += third;
  }
  const double refined = (low + high) / 2;
  return turned(axes, about, value(refined) < least ? refined : best);
}

Matrix3d descend(Matrix3d axes, const matrix6& c) {
  double value = excess(axes, c);
  for (int round = 0; round < 200; ++round) {
    const double before = value;
    for (int about = 0; about < 3; ++about) axes = best_turn(axes, about, c);
    value = excess(axes, c);
    if (!(value < before * (1 - 1e-6)) || value < 1e-24 * c.squaredNorm()) break;
  }
  return axes;
}

std::vector<Matrix3d> starts(const voigt_matrix& c) {
  std::vector<Matrix3d> found{Matrix3d::Identity()};
  const auto place = [](int i, int j) { return at(i == j ? i : i + j == 1 ? 3 : i + j == 3 ? 4 : 5); };
  Matrix3d dilatational = Matrix3d::Zero(), of_voigt = Matrix3d::Zero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        dilatational(i, j) += c[place(i, j)][place(k, k)];
        of_voigt(i, j) += c[place(i, k)][place(j, k)];
      }
  for (const Matrix3d& tensor : {dilatational, of_voigt}) {
    const Eigen::SelfAdjointEigenSolver<Matrix3d> spectrum(tensor);
    found.push_back(spectrum.eigenvectors().transpose());
  }
  for (int i = 1; i <= 6; ++i)
    found.push_back(
        Eigen::AngleAxisd(0.4 * i, Eigen::Vector3d(std::cos(2.4 * i), std::sin(2.4 * i), 0.3 * i - 1).normalized())
            .toRotationMatrix());
  return found;
}

/// Permute and reverse the axes until each axis is close to its image axis.
Matrix3d near_image(const Matrix3d& axes) {
  constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const int* best = orders[0];
  const auto closeness = [&](const int* o) {
    return std::abs(axes(o[0], 0)) + std::abs(axes(o[1], 1)) + std::abs(axes(o[2], 2));
  };
  for (const auto& order : orders)
    if (closeness(order) > closeness(best) + 1e-9) best = order;
  Matrix3d named;
  for (int i = 0; i < 3; ++i) named.row(i) = axes.row(best[i]) * (axes(best[i], i) < 0 ? -1 : 1);
  if (named.determinant() < 0) {  // reverse the axis with the largest deviation from its image axis
    int least = 0;
    for (int i = 1; i < 3; ++i)
      if (named(i, i) < named(least, least)) least = i;
    named.row(least) *= -1;
  }
  return named;
}

}  // namespace

orthotropic_frame best_orthotropic_frame(const voigt_matrix& stiffness_MPa) {
  const matrix6 c = kelvin(stiffness_MPa);
  Matrix3d best = Matrix3d::Identity();
  double least = excess(best, c);
  for (const Matrix3d& start : starts(stiffness_MPa)) {
    const Matrix3d axes = descend(start, c);
    // Require a minimum decrease. Rounding errors must not rotate a material without preferred direction.
    if (const double value = excess(axes, c); value < least - 1e-16 * c.squaredNorm()) least = value, best = axes;
  }
  best = near_image(best);
  orthotropic_frame frame;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) frame.axes[at(i)][at(j)] = best(i, j);
  frame.stiffness_MPa = voigt(in_frame(best, c));
  return frame;
}

}  // namespace osteon::physics
