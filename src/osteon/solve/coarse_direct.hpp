#pragma once
/// @file
/// The coarsest level: gathered on rank 0 and factorised.
#include <Eigen/SparseCholesky>
#include <osteon/solve/aggregation.hpp>

namespace osteon::solve {

/// A sparse Cholesky factorisation of the coarsest level on rank 0.
class coarse_direct {
 public:
  /// @throws solve_error if the matrix is not positive definite @collective on comm
  coarse_direct(MPI_Comm comm, const coarse_level& level);
  /// x = K^-1 b for the owned points. @collective on comm
  void solve(const float* b, float* x) const;

 private:
  MPI_Comm comm_;                      // borrowed
  std::vector<int> counts_, offsets_;  // per rank; rank 0 only
  int owned_ = 0;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor_;
};

}  // namespace osteon::solve
