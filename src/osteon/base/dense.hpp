#pragma once
/// @file
/// Eigenvalues and small dense systems. Only dense.cpp includes Eigen, because the decompositions of Eigen dominate the
/// build time. No loop over voxels calls these functions. Matrices are stored row by row.
#include <array>
#include <span>
#include <vector>

namespace osteon {

struct symmetric_spectrum {
  std::vector<double> values;                ///< eigenvalues in ascending order
  std::vector<std::vector<double>> vectors;  ///< unit eigenvector of each eigenvalue
};

/// Eigenvalues and eigenvectors. @param matrix symmetric, n * n entries; the function uses only the lower triangle
symmetric_spectrum spectrum_of_symmetric(std::span<const double> matrix, int n);

/// Eigenvalues in ascending order. @param matrix symmetric, n * n entries; the function uses only the lower triangle
std::vector<double> eigenvalues_of_symmetric(std::span<const double> matrix, int n);

/// Eigenvalues of a symmetric tridiagonal matrix in ascending order. @param coupling off-diagonal entries, one fewer than
/// diagonal entries
std::vector<double> eigenvalues_of_tridiagonal(std::span<const double> diagonal, std::span<const double> coupling);

/// Principal values of a symmetric tensor, and their unit vectors. The largest value is first. The largest component of each
/// vector is positive.
struct principal_axes {
  std::array<double, 3> value{};
  std::array<std::array<double, 3>, 3> direction{};
};
principal_axes principal_axes_of(const std::array<std::array<double, 3>, 3>& tensor);

/// Spectral radius of the linear map g_i -> g_(i+1). The map acts on the space of the vectors g_0 to g_(size - 2). The
/// function computes the radius from the scalar products of the vectors. Directions are excluded if their fraction of the
/// vectors is below `least_part`. If no direction remains, the result is 0.
/// @param gram scalar products, size * size entries
double spectral_radius_of_sequence(std::span<const double> gram, int size, double least_part);

/// Inverse of a symmetric positive definite matrix with n * n entries.
std::vector<double> inverse_of_positive(std::span<const double> matrix, int n);

/// Minimise |A x - b| by the normal equations. A must be well-conditioned. @param matrix A, shape (b.size(), n)
std::vector<double> least_squares(std::span<const double> matrix, int n, std::span<const double> b);

}  // namespace osteon
