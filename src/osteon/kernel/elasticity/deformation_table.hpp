#pragma once
/// @file
/// Product of coarse bricks with a vector in single precision, in terms of deformations. Node data are four floats per node
/// (z, y, x, 0).
#include <array>
#include <cstdint>
#include <osteon/base/material_number.hpp>
#include <osteon/kernel/elasticity/brick_matrices.hpp>
#include <osteon/kernel/elasticity/matrix_factor.hpp>
#include <osteon/kernel/lanes.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

/// Aspect ratios of a brick. The ratios are required to distinguish rotations from shears.
struct brick_shape {
  explicit brick_shape(vector3 sides);
  float4 first{}, second{};  ///< for the planes zy, zx, yx: relative edge lengths along the first and the second axis
};

/// Add the fraction `part` of the energy of the stiffest deformation to the energy of each of the 18 deformations. Rigid
/// motions remain without energy.
void stiffen(symmetric24& matrix, const brick_shape& shape, double part);

/// Matrices of bricks in single precision, in terms of 18 deformations and 6 rigid motions instead of 24 corner values.
///
/// A part of the solid that only a thin strut connects can move rigidly with almost no energy. A product of corner values
/// with matrix entries has a rounding error of the order of the motion times the stiffness of the bricks. This stiffness is
/// far above the stiffness of the strut. Therefore accurate differences of corner values are computed first, and rigid
/// motions are not multiplied by matrix entries.
///
/// Matrices are stored in two forms. Bricks with a common matrix multiply by its entries. Bricks with different matrices
/// multiply by a copy of the factors of their matrices (matrix_factor), in which eight factors alternate. A product with
/// factors takes less than half the time of a product with entries, because the entries of eight matrices must be
/// transposed.
class deformation_table {
 public:
  struct place {
    std::uint32_t begin : 31, is_anchored : 1;  ///< begin in blocks of 3 x 3 values
  };

  /// Number matrices without entries.
  /// @param is_anchored per matrix: true if rigid motions have energy, because displacements of the brick's finest nodes are
  /// fixed
  void number(const std::vector<bool>& is_anchored);
  /// Append the entries of a matrix, which has a number.
  void add_entries(std::int32_t matrix, const symmetric24& entries, const brick_shape& shape);
  /// Append the factors of a batch. @return their number
  std::int32_t add_factors(const std::array<const matrix_factor*, 8>& factors);
  /// Reserve memory for entries of matrices and factors of batches.
  void reserve(std::size_t free, std::size_t anchored, std::size_t factors);

  /// Number and entries of a matrix.
  place operator[](std::int32_t matrix) const { return places_[static_cast<std::size_t>(matrix)]; }
  const float* values(place p) const { return &value_[9 * static_cast<std::size_t>(p.begin)]; }
  const batch_factor& factors(std::int32_t number) const { return factors_[static_cast<std::size_t>(number)]; }

 private:
  std::vector<place> places_;
  std::vector<float> value_;  // blocks of 3 x 3 by columns; each column has the blocks on and below the diagonal
  std::vector<batch_factor> factors_;
};

/// The factor of a matrix in terms of the deformations of a brick.
matrix_factor factor_of_deformations(const symmetric24& matrix, const brick_shape& shape);

class graded_bricks;

/// Materials of the octants 4 (upper in z) + 2 (upper in y) + (upper in x); 0 is empty.
using octant_materials = std::array<material_number, 8>;

/// Bricks that share a table of matrices.
struct table_bricks {
  std::span<const std::array<std::int32_t, 8>> corners;
  std::span<const std::int32_t> matrix;  ///< per brick: index in the table, or ~(index in `octants`)
  const deformation_table* table;
  std::span<const std::uint8_t> shape_of_brick;  ///< index in `shapes`; empty if all bricks have the first shape
  std::span<const brick_shape> shapes;
  const graded_bricks* graded = nullptr;
  std::span<const octant_materials> octants{};  ///< materials of the bricks without a matrix in the table
};

/// Eight bricks that are multiplied together. All bricks of a batch have one shape and are of one kind: anchored, not
/// anchored, or graded.
struct brick_batch {
  std::array<std::int32_t, 8> brick;
  std::int32_t factors = -1;  ///< number of the batch's factors in the table; -1: the entries of the matrices are used
  std::int8_t count;          ///< number of bricks; unused lanes repeat a brick
  bool has_one_matrix;        ///< true if the bricks have a common matrix, which is read once
};

/// Group the bricks [begin, end) into batches. Adjacent bricks with the same matrix form a batch.
void append_batches(const table_bricks& bricks, std::int32_t begin, std::int32_t end, std::vector<brick_batch>& batches);

/// Add K x to y for the bricks of batches. Writes only the corners of these bricks.
void add_product(const table_bricks& bricks, std::span<const brick_batch> batches, const float* x, float* y);

}  // namespace osteon::kernel
