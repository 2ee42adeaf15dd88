#pragma once
/// @file
/// The direct solution on the coarsest level.
#include <mpi.h>

#include <memory>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/kernel/brick_matrices.hpp>
#include <span>
#include <vector>

namespace osteon::solve {

/// A factorisation L D L^T in double on rank 0.
class coarsest_solver {
 public:
  /// @param rows this rank's part of the matrix @param ids global numbers of its nodes
  /// @throws solve_error if the matrix cannot be factorised
  /// @collective on comm
  coarsest_solver(MPI_Comm comm, const kernel::block_rows& rows, std::span<const std::int64_t> ids,
                  const grid::shared_nodes& shared);
  ~coarsest_solver();

  /// x = A^-1 b; both hold four floats a node and are equal on all copies of a node.
  /// @collective on comm
  void solve(const float* b, float* x) const;

 private:
  struct root;     // what only rank 0 holds
  MPI_Comm comm_;  // borrowed
  std::size_t nodes_;
  std::vector<std::int32_t> owned_;
  std::vector<int> owned_counts_, all_counts_;  // values of every rank, on rank 0
  std::unique_ptr<root> root_;
};

}  // namespace osteon::solve
