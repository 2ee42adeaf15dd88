#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <osteon/plan/composite/swap.hpp>
#include <plan/spoilt.hpp>

namespace swap_test {

using namespace osteon;
using plan::arrival;
using plan::shuffled;
using plan::words;
using plan::written_out;

constexpr int seven = 7;
const std::vector<int> order_of_seven{4, 1, 6, 0, 2, 5, 3};
const plan::goal goal_of_seven{order_of_seven, 2, -1};

written_out plan_of_seven() { return written_out(plan::binary_swap(seven, 1000, order_of_seven, 2)); }

// Oracle: symbolic execution. The parts remain with their owners, and their sizes differ by at most one element.
TEST(binary_swap, leaves_equal_parts_without_a_root) {
  for (const int n : {1, 2, 3, 5, 6, 8, 11, 100}) {
    const auto order = shuffled(n, 3);
    const auto p = plan::binary_swap(n, 999, order, -1);
    const auto problems = plan::verify(p, {order, -1, -1});
    ASSERT_TRUE(problems.empty()) << words(problems);
    for (int r = 0; r < n; ++r) {
      const auto mine = p.part(r).result;
      ASSERT_EQ(mine.size(), 1u);
      EXPECT_NEAR(static_cast<double>(mine[0].size()), 999.0 / n, 1.0);
    }
  }
}

// Oracle: the rounds of the classic swap of four ranks ([Ma1994], figure 4), written by hand.
TEST(binary_swap, is_the_classic_swap_for_a_power_of_two) {
  const auto p = plan::binary_swap(4, 8, std::vector<int>{0, 1, 2, 3}, 0);

  const auto first = p.part(0);

  ASSERT_EQ(first.rounds.size(), 3u);
  using messages = std::vector<plan::message>;
  EXPECT_EQ(first.rounds[0].sends, (messages{{1, {4, 8}, arrival::blend_front}}));
  EXPECT_EQ(first.rounds[0].receives, (messages{{1, {0, 4}, arrival::blend_back}}));
  EXPECT_EQ(first.rounds[1].sends, (messages{{2, {2, 4}, arrival::blend_front}}));
  EXPECT_EQ(first.rounds[1].receives, (messages{{2, {0, 2}, arrival::blend_back}}));
  EXPECT_TRUE(first.rounds[2].sends.empty());
  EXPECT_EQ(first.rounds[2].receives.size(), 3u);
  const auto last = p.part(3);
  EXPECT_EQ(last.rounds[1].sends, (messages{{1, {4, 6}, arrival::blend_back}}));
  EXPECT_EQ(last.rounds[1].receives, (messages{{1, {6, 8}, arrival::blend_front}}));
  EXPECT_EQ(last.rounds[2].sends, (messages{{0, {6, 8}}}));
  EXPECT_TRUE(last.rounds[2].receives.empty());
}

// Oracle: the bound (1 - 1/n) of an image for a power of two. No other n may need more than twice this bound.
TEST(binary_swap, sends_less_than_an_image_per_rank) {
  for (int n = 2; n <= 130; ++n) {
    const auto p = plan::binary_swap(n, 100000, shuffled(n, 1), -1);
    std::int64_t most = 0;
    for (int r = 0; r < n; ++r) {
      std::int64_t sent = 0;
      for (const auto& round : p.part(r).rounds)
        for (const auto& m : round.sends) sent += m.size();
      most = std::max(most, sent);
    }
    const bool power = (n & (n - 1)) == 0;
    EXPECT_LE(static_cast<double>(most), (power ? 1.0 : 2.0) * 100000 * (1 - 1.0 / n) + n) << n;
  }
}

// Oracle: a rank among a million ranks builds only its own steps, without delay. The number of its steps is O(log n).
TEST(binary_swap, builds_one_rank_of_a_million_alone) {
  std::vector<int> order(1'000'003);
  std::iota(order.rbegin(), order.rend(), 0);
  const auto p = plan::binary_swap(1'000'003, std::int64_t{1} << 40, order, 0);

  const auto one = p.part(654'321);

  EXPECT_EQ(one.rounds.size(), 21u);
  for (const auto& round : one.rounds) EXPECT_LE(round.sends.size() + round.receives.size(), 8u);
}

TEST(binary_swap, refuses_an_order_that_is_no_permutation) {
  EXPECT_THROW(plan::binary_swap(3, 10, std::vector<int>{0, 1, 1}), usage_error);
  EXPECT_THROW(plan::binary_swap(3, 10, std::vector<int>{0, 1}), usage_error);
  EXPECT_THROW(plan::binary_swap(3, 10, std::vector<int>{}), usage_error);
  EXPECT_THROW(plan::binary_swap(3, 10, std::vector<int>{0, 1, 3}), usage_error);
  EXPECT_THROW(plan::binary_swap(3, 10, std::vector<int>{0, 1, 2}, 3), usage_error);
}

// The following tests damage a correct plan of seven ranks in one place. Oracle: the text of the planted fault.
class verify_catches : public testing::Test {
 protected:
  written_out spoilt = plan_of_seven();

  struct found_message {
    int rank;
    std::size_t round;
    plan::message* here;
    plan::message* there;
  };
  // The first message with this action on arrival, and its other end. The message is received by the lowest rank that
  // receives such a message.
  found_message find(arrival how) {
    for (std::size_t rank = 0; rank < seven; ++rank)
      for (std::size_t r = 0; r < spoilt.ranks[rank].rounds.size(); ++r)
        for (auto& m : spoilt.ranks[rank].rounds[r].receives)
          if (m.on_arrival == how) return {static_cast<int>(rank), r, &m, spoilt.other_end(rank, r, false, m)};
    throw std::logic_error("no such message");
  }
  void turn(arrival from, arrival to) {
    const auto found = find(from);
    found.here->on_arrival = found.there->on_arrival = to;
  }
  void expect_problem(const std::string& text) {
    const auto found = words(plan::verify(spoilt.as_plan(), goal_of_seven));
    EXPECT_NE(found.find(text), std::string::npos) << "found:\n" << found;
  }
};

TEST_F(verify_catches, nothing_in_the_sound_plan) { EXPECT_EQ(words(plan::verify(spoilt.as_plan(), goal_of_seven)), ""); }

TEST_F(verify_catches, a_dropped_send) {
  spoilt.ranks[0].rounds[1].sends.clear();
  expect_problem("from rank 0, which does not send them in this round");
}

TEST_F(verify_catches, a_dropped_receive) {
  spoilt.ranks[0].rounds[1].receives.clear();
  expect_problem("to rank 0, which does not receive them in this round");
}

TEST_F(verify_catches, a_message_in_a_later_round) {
  auto& rounds = spoilt.ranks[0].rounds;
  std::swap(rounds[0], rounds[1]);
  expect_problem("in this round");
}

TEST_F(verify_catches, a_swapped_blend_order) {
  turn(arrival::blend_front, arrival::blend_back);
  expect_problem("the intervals must be adjacent in that order");
}

TEST_F(verify_catches, a_blend_that_only_overwrites) {
  turn(arrival::blend_back, arrival::place);
  expect_problem("instead of [0, 7)");
}

TEST_F(verify_catches, ends_with_different_arrival_actions) {
  find(arrival::blend_back).here->on_arrival = arrival::place;
  expect_problem("which sends them to be blended behind");
}

TEST_F(verify_catches, a_wrong_span) {
  find(arrival::blend_back).here->elements.end -= 1;
  expect_problem("expects elements");
}

TEST_F(verify_catches, a_duplicated_blend) {
  // The same message occurs twice at both ends. The message arrives, but is blended twice.
  const auto found = find(arrival::blend_back);
  const plan::message received = *found.here, sent = *found.there;
  spoilt.ranks[static_cast<std::size_t>(found.rank)].rounds[found.round].receives.push_back(received);
  spoilt.ranks[static_cast<std::size_t>(received.peer)].rounds[found.round].sends.push_back(sent);
  expect_problem("the intervals must be adjacent in that order");
}

TEST_F(verify_catches, a_message_to_oneself) {
  spoilt.ranks[0].rounds[1].sends.at(0).peer = 0;
  expect_problem("the peer must be another of");
}

TEST_F(verify_catches, elements_outside_the_object) {
  find(arrival::blend_back).here->elements = {990, 1010};
  expect_problem("must be a non-empty part of [0, 1000)");
}

TEST_F(verify_catches, a_result_with_two_owners) {
  spoilt.ranks[2].result = {{0, 600}, {500, 1000}};
  expect_problem("with two owners");
}

TEST_F(verify_catches, a_result_without_owner) {
  spoilt.ranks[2].result = {{0, 600}};
  expect_problem("elements from 600 to 1000 have no owner");
}

TEST_F(verify_catches, a_result_beyond_the_object) {
  spoilt.ranks[2].result = {{0, 1000}, {1000, 1001}};
  expect_problem("keeps elements [1000, 1001); there are [0, 1000)");
}

TEST_F(verify_catches, a_goal_for_other_ranks) {
  EXPECT_THROW(plan::verify(spoilt.as_plan(), {{0, 1}, 0, -1}), usage_error);
  EXPECT_THROW(plan::verify(spoilt.as_plan(), {{0, 1, 2, 3, 4, 5, 5}, 0, -1}), usage_error);
}

TEST_F(verify_catches, too_much_memory) {
  auto goal = goal_of_seven;
  goal.staged_elements = 10;
  EXPECT_NE(words(plan::verify(spoilt.as_plan(), goal)).find("the limit is 10"), std::string::npos);
}

}  // namespace swap_test
