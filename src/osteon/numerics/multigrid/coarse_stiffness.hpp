#pragma once
/// @file
/// Galerkin stiffness P^T K P of the coarse bricks, computed brick by brick. A brick shared by ranks needs no exchange.
#include <memory>
#include <osteon/kernel/elasticity/deformation_table.hpp>
#include <osteon/kernel/elasticity/graded_bricks.hpp>
#include <osteon/numerics/operators/brick_mesh.hpp>
#include <osteon/numerics/operators/elasticity_operator.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>
#include <string>

namespace osteon::numerics {

/// The element matrices of a level. Many bricks may share one matrix. Matrices are in double precision, because the energy
/// of a part on a thin strut is below the rounding error of single precision.
struct brick_matrices {
  std::vector<std::int32_t> matrix;  ///< per brick: index in `table`, or ~(index in `octants`)
  std::vector<kernel::symmetric24> table;
  std::vector<bool> is_anchored;  ///< per matrix: a displacement of a finest node in the brick is fixed
  /// Bricks of the first coarse level with matrices that are computed on demand. These bricks are not anchored.
  std::vector<kernel::octant_materials> octants;
  std::shared_ptr<const kernel::graded_bricks> graded;

  kernel::symmetric24 of(std::int32_t m) const {
    return m < 0 ? graded->matrix(octants[static_cast<std::size_t>(~m)]) : table[static_cast<std::size_t>(m)];
  }
};

/// Matrices of the first coarse level; empty if the problem has no values. Bricks with equal children (materials and fixed
/// displacements) share a matrix.
brick_matrices first_coarse_matrices(const elasticity_problem& problem, const fine_stiffness& fine, const coarse_mesh& mesh);

/// Matrices of the next level. Bricks with equal children share a matrix.
/// @param spacing_mm edge lengths of a voxel
brick_matrices next_coarse_matrices(const brick_matrices& children, const brick_mesh& child_mesh, const coarse_mesh& mesh,
                                    vector3 spacing_mm);

/// K of a coarse level. Vectors have four floats per node: z, y, x, 0.
class coarse_stiffness final : public elasticity_operator {
 public:
  /// Borrows the mesh.
  /// @param spacing_mm voxel spacing @param matrices empty if the problem has no values @param name name of the level in
  /// message counts
  /// @collective on comm
  coarse_stiffness(MPI_Comm comm, const brick_mesh& mesh, vector3 spacing_mm, const brick_matrices& matrices,
                   std::span<const int> touching, const std::string& name = "nodes of a coarse level");

  // Memory traffic: a product reads x, writes y, and reads eight corners and a matrix number per brick. Matrices and the
  // sums of two planes of nodes are assumed to be in cache.
  kernel_work work() const override {
    const auto bricks = static_cast<double>(matrix_.size());
    return {static_cast<double>(size()) * 2 * sizeof(float) + bricks * 9 * sizeof(std::int32_t), bricks * 2 * 24 * 24};
  }
  std::int64_t size() const override { return 4 * nodes_; }
  grid::node_layout layout() const override { return {3, 1, 4}; }
  const grid::shared_nodes& shared() const override { return shared_; }
  numerics::inverse_diagonal inverse_diagonal() const override { return {inverse_diagonal_}; }
  std::span<const std::int64_t> fixed() const override { return {}; }  // fixed displacements have zero weight

 private:
  void multiply_own(const float* x, float* y,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& complete) const override;
  void tabulate(vector3 spacing_mm, const brick_matrices& matrices);
  void store_matrices(const brick_matrices& matrices, std::span<const std::uint8_t> shape_of_matrix);
  std::int32_t matrix_of(const kernel::brick_batch& batch, std::size_t b) const {
    return matrix_[static_cast<std::size_t>(batch.brick[b])];
  }
  kernel::table_bricks bricks() const {
    return {mesh_.corners, matrix_, &table_, shape_of_brick_, shapes_, graded_.get(), octants_};
  }

  const brick_mesh& mesh_;
  std::int64_t nodes_;
  grid::shared_nodes shared_;
  std::vector<std::int32_t> matrix_;
  kernel::deformation_table table_;
  std::shared_ptr<const kernel::graded_bricks> graded_;
  std::vector<kernel::octant_materials> octants_;
  std::vector<kernel::brick_shape> shapes_;
  std::vector<std::uint8_t> shape_of_brick_;  // empty if there is one shape
  std::vector<kernel::brick_batch> batches_;
  std::vector<std::size_t> plane_begin_{0};  // first batch of each plane of bricks, and the end
  std::vector<float> inverse_diagonal_;
};

}  // namespace osteon::numerics
