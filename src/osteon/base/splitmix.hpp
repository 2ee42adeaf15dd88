#pragma once
/// @file
/// Hashing of 64-bit numbers by splitmix64.
#include <cstdint>

namespace osteon {

/// Finaliser of splitmix64. This bijection changes about half of the output bits for any change of the input.
/// @cite [Steele2014]
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Increment of the state of splitmix64 before each number. The increment is 2^64 divided by the golden ratio.
constexpr std::uint64_t splitmix_increment = 0x9e3779b97f4a7c15U;

/// Output of splitmix64 for the state `x`.
constexpr std::uint64_t splitmix64(std::uint64_t x) { return mix_bits(x + splitmix_increment); }

}  // namespace osteon
