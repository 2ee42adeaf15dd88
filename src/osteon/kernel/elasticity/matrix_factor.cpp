#include <osteon/kernel/elasticity/matrix_factor.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace osteon::kernel {

namespace {

constexpr int rows = matrix_factor::rows;

constexpr std::size_t place(int row, int column) { return static_cast<std::size_t>(rows * row + column); }
// Number of entries of L before this entry.
constexpr int entry_number(int row, int column) { return column * rows - column * (column - 1) / 2 + row - column; }

std::array<double, rows * rows> cholesky(const std::array<double, 576>& energy) {
  std::array<double, rows * rows> l{};
  for (int column = 0; column < rows; ++column) {
    const auto remainder = [&](int row) {
      double value = energy[static_cast<std::size_t>(24 * row + column)];
      for (int k = 0; k < column; ++k) value -= l[place(row, k)] * l[place(column, k)];
      return value;
    };
    const double pivot = remainder(column);
    if (!(pivot > 0)) continue;
    l[place(column, column)] = std::sqrt(pivot);
    for (int row = column + 1; row < rows; ++row) l[place(row, column)] = remainder(row) / std::sqrt(pivot);
  }
  return l;
}

// Value of a half word. The lower half of a word has zeros below.
std::uint32_t half(const matrix_factor& factor, int number) {
  const std::uint32_t word = factor.word[static_cast<std::size_t>(number / 2)];
  return number % 2 == 0 ? word : word << 16;
}
double squared_scale(const matrix_factor& factor, int column) {
  return static_cast<double>(std::bit_cast<float>(half(factor, matrix_factor::first_scale + column))) *
         matrix_factor::common_squared_scale;
}

// Store the upper 16 bits. For an upper half, the lower half must be stored before; the upper half is then selected so that
// the whole word is not below `bits` (`rounds_up`) or closest to `bits`.
void store_half(matrix_factor& factor, int number, std::uint32_t bits, bool rounds_up) {
  std::uint32_t& word = factor.word[static_cast<std::size_t>(number / 2)];
  const std::uint32_t lower = number % 2 == 0 ? word : 0;
  const std::uint32_t added = rounds_up ? 0xffff : 0x8000;
  const std::uint32_t upper = (bits - lower + added) >> 16;
  if (number % 2 == 0)
    word = upper << 16 | lower;
  else
    word = upper & 0xffff;
}

}  // namespace

matrix_factor::matrix_factor(const std::array<double, 576>& energy) {
  const std::array<double, rows * rows> l = cholesky(energy);
  constexpr double largest_integer = 0x7ffe0000;
  for (int column = rows; column-- > 0;) {  // the lower half of a word precedes the upper half
    double largest = 0;
    for (int row = column; row < rows; ++row) largest = std::max(largest, std::abs(l[place(row, column)]));
    const double scale = largest / largest_integer;
    const auto squared = static_cast<float>(scale * scale / common_squared_scale * (1 + 0x1p-22));
    store_half(*this, first_scale + column, std::bit_cast<std::uint32_t>(squared), true);
  }
  for (int column = rows; column-- > 0;) {
    const double scale = std::sqrt(squared_scale(*this, column));
    for (int row = rows; row-- > column && scale > 0;) {
      const auto integer = static_cast<std::int32_t>(std::lround(l[place(row, column)] / scale));
      store_half(*this, entry_number(row, column), static_cast<std::uint32_t>(integer), false);
    }
  }
}

std::array<double, rows * rows> matrix_factor::lower() const {
  std::array<double, rows * rows> l{};
  for (int column = 0; column < rows; ++column)
    for (int row = column; row < rows; ++row)
      l[place(row, column)] =
          static_cast<std::int32_t>(half(*this, entry_number(row, column))) * std::sqrt(squared_scale(*this, column));
  return l;
}

}  // namespace osteon::kernel
