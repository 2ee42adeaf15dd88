#pragma once
/// @file
/// Counting how often each value of a digit occurs among a rank's keys.
#include <cstddef>
#include <cstdint>
#include <span>

namespace osteon::bench::integer_sort {

/// Bits [low, low + width) of a key.
struct digit {
  int low = 0, width = 0;
  std::int64_t values() const { return std::int64_t{1} << width; }
  std::uint32_t of(std::int32_t key) const { return static_cast<std::uint32_t>(key) >> low & ((1u << width) - 1); }
};

/// Counts of 16 bits, because what does not fit in a cache costs more than the counting; a value is noted in `carries` each
/// time its count passes 2^16. Views on memory of others.
struct digit_counts {
  std::span<std::uint16_t> low;      ///< shape (values)
  std::span<std::uint32_t> carries;  ///< of which the first `carried` are in use

  /// Room for carries of so many keys.
  static std::size_t carries_of(std::int64_t keys) { return static_cast<std::size_t>(keys >> 16); }
};

/// @param counts are overwritten
/// @return number of carries
std::size_t count_digits(std::span<const std::int32_t> keys, digit which, const digit_counts& counts);

}  // namespace osteon::bench::integer_sort
