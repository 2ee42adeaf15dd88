#pragma once
/// @file
/// Cholesky factors of brick matrices with 16 bits per entry.
///
/// The energy of soft deformations is as low as 1e-6 of the energy of the stiffest deformation. Matrix entries rounded to 16
/// bits would make soft deformations indefinite. The product L L^T is positive semi-definite for every rounding of L.
#include <array>
#include <cstdint>

namespace osteon::kernel {

/// Lower triangle L of a matrix in terms of 18 deformations, by columns. An entry is a 16-bit integer times the scale of its
/// column. A word contains two entries: the upper half of the word is the first entry, and the lower half is the second
/// entry. The whole word, as an integer, is used for the first entry: the constructor selects the upper half for the
/// smallest error of the whole word. The last words contain the squared scales in the same way, as 16-bit floats.
struct matrix_factor {
  static constexpr int rows = 18, entries = rows * (rows + 1) / 2;
  static constexpr int first_scale = entries + entries % 2;  ///< position of the squared scales, in units of half a word
  static constexpr int words = (first_scale + rows) / 2;
  /// Factor that is not included in the squared scales. Without this factor, the squared scales would be below the range of
  /// floats for soft materials.
  static constexpr double common_squared_scale = 0x1p-32;

  std::array<std::uint32_t, words> word{};

  matrix_factor() = default;
  /// Factorise the first 18 rows and columns of a matrix in terms of deformations. If a pivot is not positive, its column of
  /// L is zero.
  /// @param energy symmetric 24 x 24 matrix, positive semi-definite up to rounding [N/mm]
  explicit matrix_factor(const std::array<double, 576>& energy);
  /// L by rows, rows x rows values including the scales [square root of N/mm].
  std::array<double, rows * rows> lower() const;
};

/// The factors of the eight bricks of a batch: eight values for each word.
struct alignas(32) batch_factor {
  std::array<std::array<std::uint32_t, 8>, matrix_factor::words> word;
};

}  // namespace osteon::kernel
