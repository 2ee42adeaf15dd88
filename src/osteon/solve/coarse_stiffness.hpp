#pragma once
/// @file
/// Galerkin stiffness of the coarse bricks: P^T K P brick by brick, so that a brick shared by ranks needs no exchange.
#include <osteon/kernel/brick_matrices.hpp>
#include <osteon/solve/brick_mesh.hpp>
#include <osteon/solve/elastic_operator.hpp>
#include <osteon/solve/fine_stiffness.hpp>

namespace osteon::solve {

/// The element matrices of a level: many bricks may share one. In double, because what hangs on a thin strut moves at an
/// energy that single precision would drown.
struct brick_matrices {
  std::vector<std::int32_t> matrix;  ///< of each brick, a place in `table`
  std::vector<kernel::symmetric24> table;
};

/// Matrices of the first coarse level. Bricks with equal children (materials and fixed displacements) share one.
brick_matrices first_coarse_matrices(const elasticity_problem& problem, const fine_stiffness& fine, const coarse_mesh& mesh);

/// Matrices of the next level, one a brick.
brick_matrices next_coarse_matrices(const brick_matrices& children, const brick_mesh& child_mesh, const coarse_mesh& mesh);

/// Rows of the sum of the brick matrices; partial on shared nodes.
kernel::block_rows assemble(const brick_mesh& mesh, const brick_matrices& matrices);

/// K of a coarse level. Vectors hold four floats a node: z, y, x, 0.
class coarse_stiffness final : public elastic_operator {
 public:
  /// Keeps the table of matrices if it is smaller than the assembled rows.
  /// @collective on comm
  coarse_stiffness(MPI_Comm comm, const brick_mesh& mesh, const brick_matrices& matrices, std::span<const int> touching);

  void multiply(const float* x, float* y) const override;
  std::int64_t size() const override { return 4 * nodes_; }
  grid::node_layout layout() const override { return {3, 1, 4}; }
  const grid::shared_nodes& shared() const override { return shared_; }
  std::span<const float> inverse_diagonal() const override { return inverse_diagonal_; }

 private:
  const brick_mesh& mesh_;
  std::int64_t nodes_;
  grid::shared_nodes shared_;
  std::vector<std::int32_t> matrix_;
  std::vector<kernel::padded_matrix> table_;  // empty if rows_ is used
  kernel::block_rows rows_;
  std::vector<float> inverse_diagonal_;
};

}  // namespace osteon::solve
