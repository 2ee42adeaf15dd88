#pragma once
/// @file
/// The direct solution on the coarsest level.
#include <mpi.h>

#include <memory>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/numerics/multigrid/coarse_stiffness.hpp>
#include <span>
#include <vector>

namespace osteon::numerics {

/// A factorisation L D L^T in double on rank 0.
class coarsest_solver {
 public:
  /// @param mesh this rank's bricks @param matrices of them
  /// @throws solve_error if the matrix cannot be factorised
  /// @collective on comm
  coarsest_solver(MPI_Comm comm, const brick_mesh& mesh, const brick_matrices& matrices, const grid::shared_nodes& shared);
  ~coarsest_solver();

  /// x = A^-1 b; both hold four floats a node and are equal on all copies of a node.
  /// @collective on comm
  void solve(const float* b, float* x) const;

 private:
  struct root;     // held by rank 0 only
  MPI_Comm comm_;  // borrowed
  std::size_t nodes_;
  std::vector<std::int32_t> owned_;
  std::vector<int> owned_counts_, all_counts_;  // values of every rank, on rank 0
  std::unique_ptr<root> root_;
};

}  // namespace osteon::numerics
