#include <osteon/base/dense.hpp>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstddef>

namespace osteon {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using by_rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

MatrixXd matrix_of(std::span<const double> entries, Index rows, Index columns) {
  return Eigen::Map<const by_rows>(entries.data(), rows, columns);
}

std::vector<double> vector_of(const VectorXd& v) { return {v.data(), v.data() + v.size()}; }

}  // namespace

symmetric_spectrum spectrum_of_symmetric(std::span<const double> matrix, int n) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix_of(matrix, n, n));
  symmetric_spectrum all{vector_of(solver.eigenvalues()), {}};
  for (Index k = 0; k < n; ++k) all.vectors.push_back(vector_of(solver.eigenvectors().col(k)));
  return all;
}

std::vector<double> eigenvalues_of_symmetric(std::span<const double> matrix, int n) {
  return vector_of(Eigen::SelfAdjointEigenSolver<MatrixXd>(matrix_of(matrix, n, n), Eigen::EigenvaluesOnly).eigenvalues());
}

std::vector<double> eigenvalues_of_tridiagonal(std::span<const double> diagonal, std::span<const double> coupling) {
  const std::size_t n = diagonal.size();
  std::vector<double> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    matrix[i * n + i] = diagonal[i];
    if (i > 0) matrix[i * n + i - 1] = matrix[(i - 1) * n + i] = coupling[i - 1];
  }
  return eigenvalues_of_symmetric(matrix, static_cast<int>(n));
}

principal_axes principal_axes_of(const std::array<std::array<double, 3>, 3>& tensor) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(
      Eigen::Matrix3d(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(tensor[0].data())));
  principal_axes axes;
  for (int n = 0; n < 3; ++n) {
    const auto to = static_cast<std::size_t>(2 - n);
    axes.value[to] = solver.eigenvalues()[n];
    const Eigen::Vector3d v = solver.eigenvectors().col(n);
    Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    for (int c = 0; c < 3; ++c) axes.direction[to][static_cast<std::size_t>(c)] = v[largest] < 0 ? -v[c] : v[c];
  }
  return axes;
}

double spectral_radius_of_sequence(std::span<const double> gram, int size, double least_part) {
  const MatrixXd products = matrix_of(gram, size, size);
  const Index n = size - 1;
  // All vectors are scaled to unit length. Otherwise, the last vectors could consist of rounding errors only.
  VectorXd scale(n);
  for (Index i = 0; i < n; ++i) scale[i] = products(i, i) > 0 ? 1 / std::sqrt(products(i, i)) : 0;
  const MatrixXd before = scale.asDiagonal() * products.topLeftCorner(n, n) * scale.asDiagonal();
  const MatrixXd after = scale.asDiagonal() * products.block(0, 1, n, n) * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> space(before);
  const double least = least_part * space.eigenvalues().maxCoeff();
  Index first = 0;
  while (first < n && !(space.eigenvalues()[first] > least)) ++first;
  if (first == n) return 0;
  const MatrixXd basis = space.eigenvectors().rightCols(n - first) *
                         space.eigenvalues().tail(n - first).cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::EigenSolver<MatrixXd> map(basis.transpose().lazyProduct(after).eval().lazyProduct(basis).eval(), false);
  return map.eigenvalues().cwiseAbs().maxCoeff();
}

std::vector<double> inverse_of_positive(std::span<const double> matrix, int n) {
  const symmetric_spectrum s = spectrum_of_symmetric(matrix, n);
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> inverse(size * size);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) inverse[i * size + j] += s.vectors[k][i] * s.vectors[k][j] / s.values[k];
  return inverse;
}

std::vector<double> least_squares(std::span<const double> matrix, int n, std::span<const double> b) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> normal(size * size), right(size), x(size);
  for (std::size_t row = 0; row < b.size(); ++row)
    for (std::size_t i = 0; i < size; ++i) {
      const double entry = matrix[row * size + i];
      right[i] += entry * b[row];
      for (std::size_t j = 0; j < size; ++j) normal[i * size + j] += entry * matrix[row * size + j];
    }
  const std::vector<double> inverse = inverse_of_positive(normal, n);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) x[i] += inverse[i * size + j] * right[j];
  return x;
}

}  // namespace osteon
