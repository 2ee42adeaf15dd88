#pragma once
/// @file
/// Conversion between half (IEEE 754 binary16) and single precision for SIMD vectors. The conversion uses integer
/// operations, because GCC 12 has no half type in C++.
#include <bit>
#include <cstdint>

namespace osteon::kernel {

/// Convert half-precision numbers, stored in the low 16 bits of each lane, to floats. Words and Floats are vectors of
/// std::uint32_t and float.
template <class Floats, class Words>
[[gnu::always_inline]] inline Floats from_half(Words bits) {
  // After the shift to their positions in a float, exponent and mantissa represent a number that is 2^112 times too small.
  // This factor also applies to subnormal numbers.
  constexpr float scale = 0x1p112f;
  const Words magnitude = (bits & 0x7fff) << 13;
  const Words special = (Words)(magnitude >= (0x7c00u << 13)) & 0x7f800000u;  // infinity and NaN
  return (Floats)((Words)((Floats)magnitude * scale) | special | ((bits & 0x8000) << 16));
}

/// Convert to the nearest half-precision number (ties to even) in the low 16 bits of each lane. Overflow yields infinity.
template <class Floats, class Words>
[[gnu::always_inline]] inline Words to_half(Floats value) {
  const Words bits = (Words)value, magnitude = bits & 0x7fffffff;
  const Words normal = (magnitude + 0xfff + ((magnitude >> 13) & 1) - (112u << 23)) >> 13;
  // In the sum with 0.5, the last bit of a subnormal half is the last bit of the float; the addition therefore rounds to a
  // subnormal half.
  const Words subnormal = (Words)((Floats)magnitude + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
  const Words is_subnormal = (Words)(magnitude < (113u << 23));
  const Words is_large = (Words)(magnitude >= (143u << 23)), is_nan = (Words)(magnitude > 0x7f800000u);
  Words result = (is_subnormal & subnormal) | (~is_subnormal & normal);
  result = (is_large & (0x7c00u | (is_nan & 0x200))) | (~is_large & result);
  return result | ((bits >> 16) & 0x8000);
}

}  // namespace osteon::kernel
