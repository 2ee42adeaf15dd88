#pragma once
/// @file
/// Exact elimination of sparse rows of integers, modulo a prime.
///
/// The rank modulo the prime differs from the rank over the rationals only if the prime divides a minor of the matrix, which
/// is improbable for small integers. No tolerance separates zero from small numbers.
#include <osteon/physics/elasticity/solver/residue.hpp>
#include <vector>

namespace osteon::physics {

/// A non-zero entry of a row.
struct row_entry {
  std::int32_t column;
  residue value;
};

/// Entries in ascending order of their columns.
using sparse_row = std::vector<row_entry>;

/// A matrix in row echelon form.
class exact_rows {
 public:
  explicit exact_rows(std::size_t columns) : pivots_(columns) {}

  /// Add a row. @return whether it is independent of the rows before
  /// @cost one merge per pivot row that takes part
  bool add(sparse_row row);

  /// A random vector of the null space: it has a zero where all vectors of the null space have one, and equal entries where
  /// these have equal ones; others are zero or equal with a probability of 2^-61. Independent of the order of the rows.
  std::vector<residue> null_vector() const;

 private:
  std::vector<sparse_row> pivots_;  // by leading column, with leading 1; empty: the column has no pivot
};

}  // namespace osteon::physics
