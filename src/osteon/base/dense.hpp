#pragma once
/// @file
/// Eigenvalues and small dense systems. Eigen computes them in dense.cpp alone: its decompositions are the slowest part of a
/// build wherever they are instantiated, and none of these calls is in a loop over voxels. Matrices are stored by rows.
#include <array>
#include <span>
#include <vector>

namespace osteon {

struct symmetric_spectrum {
  std::vector<double> values;                ///< ascending
  std::vector<std::vector<double>> vectors;  ///< of length 1, one for each value
};

/// @param matrix symmetric, of n * n entries; the lower triangle is read
symmetric_spectrum spectrum_of_symmetric(std::span<const double> matrix, int n);

/// The eigenvalues alone, ascending. @param matrix as above
std::vector<double> eigenvalues_of_symmetric(std::span<const double> matrix, int n);

/// The eigenvalues of a symmetric tridiagonal matrix, ascending. @param coupling one entry less than the diagonal
std::vector<double> eigenvalues_of_tridiagonal(std::span<const double> diagonal, std::span<const double> coupling);

/// Principal values of a symmetric tensor, largest first, with unit vectors whose largest component is positive.
struct principal_axes {
  std::array<double, 3> value{};
  std::array<std::array<double, 3>, 3> direction{};
};
principal_axes principal_axes_of(const std::array<std::array<double, 3>, 3>& tensor);

/// The largest modulus of the eigenvalues of the map g_i -> g_(i+1) in the space of the vectors g_0 ... g_(size - 2), which
/// are known by their scalar products only. Directions that the vectors contain less than `least_part` of are left out; 0:
/// no direction is left.
/// @param gram scalar products, of size * size entries
double spectral_radius_of_sequence(std::span<const double> gram, int size, double least_part);

/// The inverse of a symmetric positive definite matrix of n * n entries.
std::vector<double> inverse_of_positive(std::span<const double> matrix, int n);

/// The x of least |A x - b|, by the normal equations: for well-conditioned A. @param matrix A, of b.size() rows and n
/// columns
std::vector<double> least_squares(std::span<const double> matrix, int n, std::span<const double> b);

}  // namespace osteon
