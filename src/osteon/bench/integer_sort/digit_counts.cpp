#include <algorithm>
#include <osteon/bench/integer_sort/digit_counts.hpp>

namespace osteon::bench::integer_sort {

std::size_t count_digits(std::span<const std::int32_t> keys, digit which, const digit_counts& counts) {
  std::fill(counts.low.begin(), counts.low.end(), std::uint16_t{0});
  std::uint16_t* const low = counts.low.data();
  std::uint32_t* carry = counts.carries.data();
  for (const std::int32_t key : keys) {
    const std::uint32_t value = which.of(key);
    if (++low[value] == 0) [[unlikely]]
      *carry++ = value;
  }
  return static_cast<std::size_t>(carry - counts.carries.data());
}

}  // namespace osteon::bench::integer_sort
