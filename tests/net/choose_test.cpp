#include <gtest/gtest.h>

#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/net/costs/choose.hpp>
#include <osteon/plan/composite/swap.hpp>

#include "written_plan.hpp"

namespace choose_test {

using namespace osteon;
using net_test::written_plan;

constexpr std::int64_t elements = 1 << 18;

plan::plan swap_of(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return plan::binary_swap(n, elements, order);
}

// All images are sent to rank 0, one after another.
plan::plan sequential(int n) {
  std::vector<net_test::written_message> messages;
  for (int rank = 1; rank < n; ++rank) messages.push_back({rank - 1, rank, 0, {0, elements}});
  return written_plan(n, elements, messages, "sequential");
}

// Oracle: the costs, computed by hand. Seven whole images, one after another, are compared with 7/8 of one image and its
// gather.
TEST(rank_plans, puts_the_cheaper_plan_first) {
  const std::vector<plan::plan> candidates{sequential(8), swap_of(8), sequential(8)};
  const auto ranked = net::rank_plans(candidates, net::blue_gene_l(), 4);
  ASSERT_EQ(ranked.size(), 3u);
  EXPECT_EQ(ranked[0].candidate, 1u);
  EXPECT_EQ(ranked[1].candidate, 0u);
  EXPECT_EQ(ranked[2].candidate, 2u);
  EXPECT_NEAR(ranked[1].cost.total, 6e-6 + 7 * elements * 4 * (8 / 2.8e9 + 8 / 0.7e9), 1e-12);
  EXPECT_LT(ranked[0].cost.total, ranked[1].cost.total / 4);
}

// Oracle: the definition. The best measured frame decides, independent of the prediction.
TEST(choose, keeps_the_fastest_of_the_plans_that_were_tried) {
  const std::vector<net::trial> trials{
      {"binary-swap", 1e-3, {9e-3, 2.5e-3}}, {"radix-k", 1.2e-3, {8e-3, 1.5e-3}}, {"direct-send", 1.3e-3, {1.5e-3, 4e-3}}};
  const auto chosen = net::choose(trials);
  EXPECT_EQ(chosen.winner, 1u);
  EXPECT_EQ(
      chosen.log,
      "compositing by radix-k: binary-swap predicted 1 ms, measured 2.5 ms; radix-k predicted 1.2 ms, measured 1.5 ms; "
      "direct-send predicted 1.3 ms, measured 1.5 ms");
}

TEST(choose, rejects_missing_times) {
  EXPECT_THROW(net::choose({}), usage_error);
  EXPECT_THROW(net::choose(std::vector<net::trial>{{"a", 1, {}}}), usage_error);
  EXPECT_THROW(net::choose(std::vector<net::trial>{{"a", 1, {1.0, 0.0}}}), usage_error);
}

}  // namespace choose_test
