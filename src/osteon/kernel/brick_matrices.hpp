#pragma once
/// @file
/// Operators of coarse bricks: Galerkin products of element matrices, dense matrices by element, and rows of 3 x 3
/// blocks. Node data are four floats a node (z, y, x, 0).
#include <array>
#include <cstdint>
#include <osteon/kernel/element_stiffness.hpp>
#include <osteon/kernel/lanes.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

/// Replace the matrix K of a brick by P^T K P, P the trilinear interpolation from the corners of its parent, of which it
/// is the octant 4 (upper in z) + 2 (upper in y) + (upper in x).
/// @param middle where the parent is divided along z, y, x, as a part of its length
template <class T>
void restrict_to_parent(std::array<T, 576>& matrix, int octant, const std::array<double, 3>& middle);

extern template void restrict_to_parent(std::array<float, 576>&, int, const std::array<double, 3>&);
extern template void restrict_to_parent(std::array<double, 576>&, int, const std::array<double, 3>&);

/// The symmetric 24 x 24 matrix of a coarse brick in single precision, its rows padded to four components a node:
/// multiplication by columns then needs no shuffle.
struct alignas(32) padded_matrix {
  float column[24][32];
  explicit padded_matrix(std::span<const float, 576> matrix);
};

/// Bricks that share a table of matrices.
struct table_bricks {
  std::span<const std::array<std::int32_t, 8>> corners;
  std::span<const std::int32_t> matrix;  ///< of each brick, a place in the table
  std::span<const padded_matrix> table;
};

/// Add K x to y for the bricks [begin, end). Bricks of one call write their corners only.
void add_product(const table_bricks& bricks, std::int32_t begin, std::int32_t end, const float* x, float* y);

/// A sparse matrix of 3 x 3 blocks by rows.
struct block_rows {
  std::vector<std::int64_t> row_begin;  ///< rows + 1
  std::vector<std::int32_t> column;     ///< per block, ascending in a row
  std::vector<float> value;             ///< per block 9 values, column-major, and 3 more at the very end
};

/// y = A x for the rows [begin, end).
void multiply(const block_rows& matrix, std::int32_t begin, std::int32_t end, const float* x, float* y);

}  // namespace osteon::kernel
