#pragma once
/// @file
/// Arithmetic modulo the prime 2^61 - 1.
#include <cstdint>

namespace osteon::physics {

/// A number modulo `prime`.
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
  const wide product = static_cast<wide>(a) * b;  // 2^61 is 1
  return sum_of(static_cast<residue>(product & prime), static_cast<residue>(product >> 61));
}

/// By Fermat's little theorem. @pre a is not 0
constexpr residue inverse_of(residue a) {
  residue power = 1;
  for (residue exponent = prime - 2; exponent > 0; exponent >>= 1, a = product_of(a, a))
    if ((exponent & 1) != 0) power = product_of(power, a);
  return power;
}

}  // namespace osteon::physics
