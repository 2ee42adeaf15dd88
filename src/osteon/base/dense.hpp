#pragma once
/// @file
/// Eigenvalues and small dense systems. Only dense.cpp includes Eigen, because the instantiation of Eigen's decompositions
/// dominates the build time. No loop over voxels calls these functions. Matrices are stored by rows.
#include <array>
#include <span>
#include <vector>

namespace osteon {

struct symmetric_spectrum {
  std::vector<double> values;                ///< ascending
  std::vector<std::vector<double>> vectors;  ///< unit vector of each value
};

/// Eigenvalues and eigenvectors. @param matrix symmetric, n * n entries; only the lower triangle is used
symmetric_spectrum spectrum_of_symmetric(std::span<const double> matrix, int n);

/// Eigenvalues in ascending order. @param matrix symmetric, n * n entries; only the lower triangle is used
std::vector<double> eigenvalues_of_symmetric(std::span<const double> matrix, int n);

/// Eigenvalues of a symmetric tridiagonal matrix in ascending order. @param coupling off-diagonal entries; their number is
/// one less than the number of diagonal entries
std::vector<double> eigenvalues_of_tridiagonal(std::span<const double> diagonal, std::span<const double> coupling);

/// Principal values of a symmetric tensor, largest value first, and their unit vectors. The largest component of each vector
/// is positive.
struct principal_axes {
  std::array<double, 3> value{};
  std::array<std::array<double, 3>, 3> direction{};
};
principal_axes principal_axes_of(const std::array<std::array<double, 3>, 3>& tensor);

/// Spectral radius of the linear map g_i -> g_(i+1) in the space of the vectors g_0 ... g_(size - 2). The radius is computed
/// from scalar products of the vectors. Directions with a share of the vectors below `least_part` are excluded. The result
/// is 0 if no direction remains.
/// @param gram scalar products, size * size entries
double spectral_radius_of_sequence(std::span<const double> gram, int size, double least_part);

/// Inverse of a symmetric positive definite matrix with n * n entries.
std::vector<double> inverse_of_positive(std::span<const double> matrix, int n);

/// Minimise |A x - b| by the normal equations, for well-conditioned A. @param matrix A, shape (b.size(), n)
std::vector<double> least_squares(std::span<const double> matrix, int n, std::span<const double> b);

}  // namespace osteon
