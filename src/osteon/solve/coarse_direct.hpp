#pragma once
/// @file
/// The coarsest level: gathered on rank 0 and factorised.
#include <Eigen/SparseCholesky>
#include <osteon/solve/aggregation.hpp>

namespace osteon::solve {

/// A sparse Cholesky factorisation of the coarsest level on rank 0. Parts of the solid that exchange heat with nothing
/// leave the matrix singular; there it is the pseudo-inverse, which works with the deviations from each part's mean.
class coarse_direct {
 public:
  /// @param geometry of `level`: what exchanges heat or stores it
  /// @throws solve_error if the matrix is not positive semidefinite @collective on comm
  coarse_direct(MPI_Comm comm, const coarse_level& level, const level_geometry& geometry);
  /// x = K^-1 b for the owned points. @collective on comm
  void solve(const float* b, float* x) const;

 private:
  MPI_Comm comm_;                      // borrowed
  std::vector<int> counts_, offsets_;  // per rank; rank 0 only
  int owned_ = 0;
  std::vector<std::vector<std::int32_t>> floating_;  // points of each part without a temperature of its own; rank 0
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor_;
};

}  // namespace osteon::solve
