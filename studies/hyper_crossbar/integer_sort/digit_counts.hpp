#pragma once
/// @file
/// Histograms of a digit over the keys of a rank.
#include <cstddef>
#include <cstdint>
#include <span>

namespace osteon::studies::integer_sort {

/// The bits [low, low + width) of a key.
struct digit {
  int low = 0, width = 0;
  std::int64_t values() const { return std::int64_t{1} << width; }
  std::uint32_t of(std::int32_t key) const { return static_cast<std::uint32_t>(key) >> low & ((1u << width) - 1); }
};

/// Number of values of the widest and of the narrowest digit.
std::int64_t most_values(std::span<const digit> digits);
std::int64_t fewest_values(std::span<const digit> digits);

/// Counts of 8 bits fit into a cache that is too small for counts of 32 bits. A cache miss costs more time than counting.
/// Counts of 8 bits are used if the number of keys per value is small. The sum of all counts reveals overflows.
inline bool bytes_may_do(std::int64_t keys, std::span<const digit> digits) { return keys <= 32 * fewest_values(digits); }

/// Count the keys with each value of the digit. @param counts shape (values), overwritten
void count_digits(std::span<const std::int32_t> keys, digit which, std::span<std::uint8_t> counts);
void count_digits(std::span<const std::int32_t> keys, digit which, std::span<std::uint32_t> counts);

}  // namespace osteon::studies::integer_sort
