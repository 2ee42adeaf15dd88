#pragma once
/// @file
/// Floats in 16 bits: sign, exponent and the first seven bits of the mantissa (bfloat16), rounded to even.
#include <bit>
#include <cstdint>

namespace osteon::physics {

/// @param value finite
inline std::uint16_t shortened(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline float lengthened(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace osteon::physics
