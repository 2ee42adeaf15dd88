#pragma once
/// @file
/// The matrix-free stiffness of the voxels.
#include <optional>
#include <osteon/base/release.hpp>
#include <osteon/kernel/elasticity/hex8.hpp>
#include <osteon/numerics/operators/brick_mesh.hpp>
#include <osteon/numerics/operators/elasticity_operator.hpp>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/numerics/operators/list_bricks.hpp>

namespace osteon::numerics {

/// K of the voxels of a rank. Vectors are by components: component c (z, y, x) of node i at c * stride() + i.
class fine_stiffness final : public elasticity_operator {
 public:
  /// Borrows the problem.
  /// @collective on problem.where.comm
  explicit fine_stiffness(const elasticity_problem& problem, kernel::dilatation how = kernel::dilatation::at_points);

  using elasticity_operator::multiply;
  void multiply(const double* x, double* y) const;
  /// y = K x as for floats. @return this rank's part of x . y; the sum over all ranks is x . y
  /// @collective
  double multiply_and_dot(const float* x, double* y) const;
  kernel_work work() const override { return work(sizeof(float)); }
  /// Work of multiply_and_dot on this rank.
  kernel_work work_in_double() const { return work(sizeof(double)); }
  /// y = K x, including forces at fixed displacements. Forces on periodic faces are not summed.
  /// @collective
  void forces(const double* x, double* y) const;
  /// y = K x for this rank's bricks only, including forces at fixed displacements. @collective local
  void own_forces(const double* x, double* y) const;
  /// Sum the values of all copies of each node. @collective
  void add_copies(double* y) const { shared_->exchange_add(y, layout()); }

  std::int64_t size() const override { return 3 * stride_; }
  std::int64_t stride() const { return stride_; }
  grid::node_layout layout() const override { return {3, stride_, 1}; }
  const grid::shared_nodes& shared() const override { return *shared_; }
  /// Node copies on other ranks, without copies on periodic faces: forces on periodic faces are not summed.
  const grid::shared_nodes& shared_by_ranks() const { return shared_by_ranks_ ? *shared_by_ranks_ : *shared_; }
  numerics::inverse_diagonal inverse_diagonal() const override { return {inverse_diagonal_, component_weight_, true}; }

  std::span<const std::int64_t> ids() const { return ids_; }
  /// Release the global numbers, used only in set-up.
  void drop_ids() { release(ids_); }
  /// Indices of fixed displacements in a flat vector.
  std::span<const std::int64_t> fixed() const override { return fixed_; }
  /// First node of each local node plane, and the number of nodes.
  std::span<const std::int32_t> node_plane_begin() const { return bricks_.node_plane_begin; }
  /// Call `visit` for each brick of the local plane z. Arguments of `visit` are the coordinates y and x of the brick in the
  /// image.
  void visit_plane(std::int64_t z, const brick_visitor& visit) const;

 private:
  // Memory traffic: a product reads x, writes y, and reads about one byte of the run list per value
  // (docs/reference/performance.md). The sums of two planes of nodes are in cache. A brick requires 129 additions and 45
  // multiplications.
  kernel_work work(std::size_t value_bytes) const {
    return {static_cast<double>(size()) * static_cast<double>(sizeof(float) + value_bytes + 1),
            174.0 * static_cast<double>(problem_.material.size())};
  }
  std::int64_t first_node(std::int64_t plane) const { return bricks_.node_plane_begin[static_cast<std::size_t>(plane)]; }
  void multiply_own(const float* x, float* y,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& complete) const override;
  void complete_copies(double* y) const;
  void identify_nodes();
  void invert_diagonal();

  const elasticity_problem& problem_;
  std::int64_t stride_;  // 0: without values
  brick_lists bricks_;
  std::vector<std::int64_t> ids_, fixed_;
  std::optional<grid::shared_nodes> shared_, shared_by_ranks_;
  kernel::hex8_stiffness<float> single_;
  kernel::hex8_stiffness<double> double_;
  std::vector<float> inverse_diagonal_;  // by node, for component z
  std::array<float, 3> component_weight_{1, 1, 1};
};

/// Lame constants by material number.
std::vector<kernel::lame> lame_table(const voxel::material_table& materials);

}  // namespace osteon::numerics
