#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/grid/block.hpp>
#include <random>

namespace block_test {

using namespace osteon;

std::int64_t largest_share(const std::vector<std::int64_t>& weight, const std::vector<std::int64_t>& first) {
  std::int64_t largest = 0;
  for (std::size_t r = 0; r + 1 < first.size(); ++r)
    largest = std::max(largest, std::accumulate(weight.begin() + first[r], weight.begin() + first[r + 1], std::int64_t{0}));
  return largest;
}

// Oracle: all divisions of nine planes into four parts.
TEST(balance_planes, finds_the_smallest_largest_share) {
  std::mt19937 generator(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> weight(9);
    for (auto& w : weight) w = generator() % 4 == 0 ? 0 : generator() % 50;

    const auto first = grid::balance_planes(weight, 4);

    ASSERT_EQ(first.size(), 5u);
    std::int64_t best = std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
    for (std::int64_t a = 1; a < 7; ++a)
      for (std::int64_t b = a + 1; b < 8; ++b)
        for (std::int64_t c = b + 1; c < 9; ++c) best = std::min(best, largest_share(weight, {0, a, b, c, 9}));
    EXPECT_EQ(largest_share(weight, first), best);
    for (std::size_t r = 0; r < 4; ++r) EXPECT_LT(first[r], first[r + 1]);
    EXPECT_EQ(first.back(), 9);
  }
}

TEST(balance_planes, refuses_more_ranks_than_planes) {
  const std::vector<std::int64_t> weight(3, 1);
  EXPECT_THROW(grid::balance_planes(weight, 4), usage_error);
}

}  // namespace block_test
