#pragma once
/// @file
/// Exact Gaussian elimination of sparse integer rows modulo a prime.
///
/// The rank modulo the prime differs from the rank over the rationals only if the prime divides a minor of the matrix.
/// Such a divisor is improbable for small integers. The elimination requires no tolerance for zero.
#include <cstdint>
#include <vector>

namespace osteon::physics {

/// A number modulo `prime`, 2^61 - 1.
using residue = std::uint64_t;

inline constexpr residue prime = (residue{1} << 61) - 1;

/// @pre |value| < prime
constexpr residue residue_of(std::int64_t value) {
  return value >= 0 ? static_cast<residue>(value) : prime - static_cast<residue>(-value);
}

constexpr residue sum_of(residue a, residue b) {
  const residue sum = a + b;
  return sum >= prime ? sum - prime : sum;
}

constexpr residue negative_of(residue a) { return a == 0 ? 0 : prime - a; }

constexpr residue product_of(residue a, residue b) {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(a) * b;  // 2^61 is congruent to 1
  return sum_of(static_cast<residue>(product & prime), static_cast<residue>(product >> 61));
}

/// Inverse by Fermat's little theorem. @pre a is not 0
constexpr residue inverse_of(residue a) {
  residue power = 1;
  for (residue exponent = prime - 2; exponent > 0; exponent >>= 1, a = product_of(a, a))
    if ((exponent & 1) != 0) power = product_of(power, a);
  return power;
}

/// A non-zero entry of a row.
struct row_entry {
  std::int32_t column;
  residue value;
};

/// Entries in ascending order of columns.
using sparse_row = std::vector<row_entry>;

/// A matrix in row echelon form.
class exact_rows {
 public:
  explicit exact_rows(std::size_t columns) : pivots_(columns) {}

  /// Add a row. @return true if the row is independent of the previous rows
  /// @cost one merge per pivot row involved
  bool add(sparse_row row);

  /// Return a random vector of the null space. An entry is zero if the entry is zero in all vectors of the null space. Two
  /// entries are equal if the two entries are equal in all vectors of the null space. Other entries are zero or equal with
  /// a probability of 2^-61. The vector is independent of the order of the rows.
  std::vector<residue> null_vector() const;

 private:
  std::vector<sparse_row> pivots_;  // by leading column, with leading 1; empty: the column has no pivot
};

}  // namespace osteon::physics
