#include <algorithm>
#include <studies/hyper_crossbar/integer_sort/digit_counts.hpp>

namespace osteon::studies::integer_sort {

namespace {

template <class Count>
void count(std::span<const std::int32_t> keys, digit which, std::span<Count> counts) {
  std::fill(counts.begin(), counts.end(), Count{0});
  // Prefetching keys far ahead saves up to a third of the time. Hardware prefetching is too late while counts are loaded
  // from a distant cache.
  constexpr std::size_t line = 16, ahead = 1024;
  std::size_t i = 0;
  for (; i + line <= keys.size(); i += line) {
    __builtin_prefetch(keys.data() + std::min(i + ahead, keys.size() - 1));
    for (std::size_t j = 0; j < line; ++j) ++counts[which.of(keys[i + j])];
  }
  for (; i < keys.size(); ++i) ++counts[which.of(keys[i])];
}

}  // namespace

std::int64_t most_values(std::span<const digit> digits) {
  std::int64_t most = 0;
  for (const digit& d : digits) most = std::max(most, d.values());
  return most;
}

std::int64_t fewest_values(std::span<const digit> digits) {
  std::int64_t fewest = most_values(digits);
  for (const digit& d : digits) fewest = std::min(fewest, d.values());
  return fewest;
}

void count_digits(std::span<const std::int32_t> keys, digit which, std::span<std::uint8_t> counts) {
  count(keys, which, counts);
}

void count_digits(std::span<const std::int32_t> keys, digit which, std::span<std::uint32_t> counts) {
  count(keys, which, counts);
}

}  // namespace osteon::studies::integer_sort
