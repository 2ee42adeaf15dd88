#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/net/costs/compositing_model.hpp>
#include <osteon/net/costs/plan_cost.hpp>
#include <osteon/plan/composite/swap.hpp>
#include <random>

#include "written_plan.hpp"

namespace plan_cost_test {

using namespace osteon;
using net::compositing_machine;
using net_test::written_message;
using net_test::written_plan;
using plan::arrival;

// The figures are round numbers, so that sums can be verified mentally: 1 s per byte to send, 2 s to blend, and 10 s
// latency.
compositing_machine simple() {
  compositing_machine m;
  m.rate = m.collect_rate = 1;
  m.latency = m.collect_latency = 10;
  m.blend_rate = 0.5;
  return m;
}

plan::plan swap_of(int n, std::int64_t elements, int root, unsigned seed = 0) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (seed > 0) std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return plan::binary_swap(n, elements, order, root);
}

// A plan of arbitrary messages. Rounds have random pairs, sizes and arrivals.
plan::plan random_plan(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int ranks = 2 + upto(7), rounds = 1 + upto(4);
  std::vector<written_message> messages;
  for (int r = 0; r < rounds; ++r)
    for (int i = upto(12); i > 0; --i) {
      const int from = upto(ranks), to = (from + 1 + upto(ranks - 1)) % ranks, begin = upto(900);
      const arrival arrivals[] = {arrival::place, arrival::blend_front, arrival::blend_back};
      messages.push_back({r, from, to, {begin, begin + 1 + upto(100)}, arrivals[upto(3)]});
    }
  return written_plan(ranks, 1000, messages);
}

compositing_machine random_machine(std::mt19937& random) {
  std::uniform_real_distribution<double> some(0.1, 10);
  compositing_machine m;
  m.rate = some(random);
  m.collect_rate = some(random);
  m.latency = some(random);
  m.collect_latency = some(random);
  m.blend_rate = some(random);
  m.blend_overhead = some(random);
  m.send_overhead = some(random);
  m.arrival_overhead = some(random);
  m.match_time = some(random);
  m.ranks_per_host = 1 + static_cast<int>(random() % 3);
  m.host_rate = some(random);
  return m;
}

// Oracle: equation 4 in its per-message reading. The root does not send its own part.
TEST(plan_cost, of_a_binary_swap_is_equation_4) {
  for (const auto& machine : {net::blue_gene_l(), net::ha8000()})
    for (int n = 2; n <= 1024; n *= 2) {
      constexpr std::int64_t pixels = 512 * 512;
      const double bytes = 4.0 * pixels;
      const auto expected = net::binary_swap_time(machine, n, bytes);
      const auto cost = net::cost_of(swap_of(n, pixels, 0), machine, 4);
      EXPECT_NEAR(cost.exchange + cost.blend, expected.compose, 1e-12 * expected.compose) << n;
      EXPECT_NEAR(cost.collect + bytes / n / machine.collect_rate, expected.collect, 1e-12 * expected.collect) << n;
      EXPECT_NEAR(cost.blend, bytes * (1 - 1.0 / n) / machine.blend_rate, 1e-12 * cost.blend);
      EXPECT_EQ(cost.messages, n * static_cast<std::int64_t>(std::bit_width(static_cast<unsigned>(n - 1))) + n - 1);
    }
}

// Oracle: the extended equations, in which the n - 1 messages of the root cost their fan-in. All other terms are non-zero.
TEST(plan_cost, of_a_binary_swap_is_the_extended_equation) {
  compositing_machine m = net::blue_gene_l();
  m.arrival_overhead = 40e-6;
  m.match_time = 20e-9;
  m.blend_overhead = 2e-6;
  m.collect_rate = 7e8;
  m.collect_latency = 9e-6;
  m.ranks_per_host = 4;
  m.host_rate = 5e8;
  for (int n = 4; n <= 256; n *= 2) {
    const auto expected = net::binary_swap_time(m, n, 4.0 * 65536);
    const auto cost = net::cost_of(swap_of(n, 65536, -1), m, 4);
    EXPECT_NEAR(cost.total, expected.compose, 1e-12 * expected.compose) << n;
  }
  m.host_rate = std::numeric_limits<double>::infinity();
  for (int n = 2; n <= 256; n *= 2) {
    const auto expected = net::binary_swap_time(m, n, 4.0 * 65536);
    const auto cost = net::cost_of(swap_of(n, 65536, 0), m, 4);
    EXPECT_NEAR(cost.total + 4.0 * 65536 / n / m.collect_rate, expected.total(), 1e-12 * expected.total()) << n;
  }
}

// Oracle: a sum computed by hand.
TEST(plan_cost, of_one_message) {
  auto m = simple();
  m.send_overhead = 3;
  m.blend_overhead = 5;
  const auto cost = net::cost_of(written_plan(2, 100, {{0, 0, 1, {0, 20}}}), m, 1);
  EXPECT_DOUBLE_EQ(cost.total, 3 + 10 + 20 + 5 + 40);
  EXPECT_DOUBLE_EQ(cost.blend, 45);
  EXPECT_DOUBLE_EQ(cost.exchange, 33);
  EXPECT_EQ(cost.collect, 0);
  EXPECT_EQ(cost.path, (std::vector<net::critical_round>{{1, 0, 0, 78}}));
  EXPECT_EQ(cost.busiest_bytes, 20);
  EXPECT_EQ(cost.messages, 1);
  EXPECT_EQ(cost.rounds, 1);
  EXPECT_EQ(cost.bytes, 20);
  EXPECT_EQ(cost.skew, 1);
}

// Oracle: computed by hand. Rank 2 waits for rank 1, and rank 1 waits for rank 0. Rank 3 is idle.
TEST(plan_cost, of_a_chain_follows_the_clocks) {
  const auto chain = written_plan(4, 100, {{0, 0, 1, {0, 10}}, {1, 1, 2, {0, 30}, arrival::place}});
  const auto cost = net::cost_of(chain, simple(), 1);
  EXPECT_DOUBLE_EQ(cost.total, (10 + 10 + 20) + (10 + 30));
  EXPECT_DOUBLE_EQ(cost.collect, 40);
  EXPECT_DOUBLE_EQ(cost.blend, 20);
  EXPECT_EQ(cost.path, (std::vector<net::critical_round>{{1, 0, 0, 40}, {2, 1, 40, 80}}));
}

// Oracle: computed by hand. Three messages of 20 bytes arrive at rank 0. The port receives the messages one after another.
// Blending takes 40 s for each message and starts when the first message has arrived.
TEST(plan_cost, of_three_messages_to_one_rank) {
  std::vector<written_message> messages{{0, 1, 0, {0, 20}}, {0, 2, 0, {0, 20}}, {0, 3, 0, {0, 20}}};
  auto m = simple();
  EXPECT_DOUBLE_EQ(net::cost_of(written_plan(4, 100, messages), m, 1).total, 10 + 20 + 3 * 40);
  m.blend_rate = 2;  // blending takes 10 s for each message, so that the port is slower
  EXPECT_DOUBLE_EQ(net::cost_of(written_plan(4, 100, messages), m, 1).total, 10 + 3 * 20 + 10);
  m.arrival_overhead = 7;
  m.match_time = 5;
  EXPECT_DOUBLE_EQ(net::cost_of(written_plan(4, 100, messages), m, 1).total, 10 + 3 * 20 + 2 * 7 + 3 * 5 + 10);
}

// Oracle: computed by hand. One rank sends three messages. Each message occupies the processor for 4 s and the port for 20
// s.
TEST(plan_cost, of_three_messages_from_one_rank) {
  std::vector<written_message> messages{{0, 0, 1, {0, 20}}, {0, 0, 2, {0, 20}}, {0, 0, 3, {0, 20}}};
  auto m = simple();
  m.send_overhead = 4;
  const auto cost = net::cost_of(written_plan(4, 100, messages), m, 1);
  EXPECT_DOUBLE_EQ(cost.total, 4 + 3 * 20 + 10 + 40);
  EXPECT_EQ(cost.busiest_bytes, 60);
  EXPECT_EQ(cost.busiest_rank, 0);
  m.send_overhead = 30;  // now the processor is slower than the port
  EXPECT_DOUBLE_EQ(net::cost_of(written_plan(4, 100, messages), m, 1).total, 3 * 30 + 20 + 10 + 40);
}

// Oracle: computed by hand. Two pieces for one rank are sent as one message, and each piece is blended.
TEST(plan_cost, of_pieces_that_travel_together) {
  auto m = simple();
  m.send_overhead = 3;
  m.arrival_overhead = 100;
  m.blend_overhead = 1;
  const std::vector<written_message> pieces{
      {0, 0, 1, {0, 5}}, {0, 0, 2, {0, 1}, arrival::place}, {0, 0, 1, {20, 30}, arrival::blend_front}};
  const auto cost = net::cost_of(written_plan(3, 100, pieces), m, 1);
  EXPECT_EQ(cost.messages, 2);
  EXPECT_DOUBLE_EQ(cost.total, 3 + 10 + 15 + (1 + 10) + (1 + 20));
}

// Oracle: computed by hand. Two ranks of one host share its link, on the side of the sender or of the receiver. Inside a
// host, no link is shared.
TEST(plan_cost, of_hosts_that_share_a_link) {
  auto m = simple();
  m.ranks_per_host = 2;
  m.host_rate = 1;
  const std::vector<written_message> across{{0, 0, 2, {0, 20}, arrival::place}, {0, 1, 3, {0, 20}, arrival::place}};
  EXPECT_DOUBLE_EQ(net::cost_of(written_plan(4, 100, across), m, 1).total, 10 + 2 * 20);
  const std::vector<written_message> inside{{0, 0, 1, {0, 20}, arrival::place}, {0, 3, 2, {0, 20}, arrival::place}};
  EXPECT_DOUBLE_EQ(net::cost_of(written_plan(4, 100, inside), m, 1).total, 10 + 20);
}

// Oracle: an invariant. A machine that is better in any parameter is never slower, for any plan.
TEST(plan_cost, never_grows_on_a_better_machine) {
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const auto what = random_plan(random);
    const auto machine = random_machine(random);
    const auto before = net::cost_of(what, machine, 1);
    EXPECT_NEAR(before.exchange + before.blend + before.collect, before.total, 1e-9 * before.total);
    EXPECT_GE(before.exchange, -1e-9 * before.total);
    const double better = 1 + 0.01 * static_cast<double>(random() % 100);
    using member = double compositing_machine::*;
    for (const member rate : {&compositing_machine::rate, &compositing_machine::collect_rate,
                              &compositing_machine::blend_rate, &compositing_machine::host_rate}) {
      auto m = machine;
      m.*rate *= better;
      EXPECT_LE(net::cost_of(what, m, 1).total, before.total * (1 + 1e-12));
    }
    for (const member time :
         {&compositing_machine::latency, &compositing_machine::collect_latency, &compositing_machine::blend_overhead,
          &compositing_machine::send_overhead, &compositing_machine::arrival_overhead, &compositing_machine::match_time}) {
      auto m = machine;
      m.*time /= better;
      EXPECT_LE(net::cost_of(what, m, 1).total, before.total * (1 + 1e-12));
    }
  }
}

// Oracle: invariants of a critical path. The path contains every round once, without a gap, from 0 to the total.
TEST(plan_cost, has_a_path_without_gaps) {
  std::mt19937 random(11);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto cost = net::cost_of(random_plan(random), random_machine(random), 1);
    double time = 0;
    for (std::size_t r = 0; r < cost.path.size(); ++r) {
      EXPECT_EQ(cost.path[r].round, static_cast<int>(r));
      EXPECT_EQ(cost.path[r].begin, time);
      EXPECT_GE(cost.path[r].end, time);
      time = cost.path[r].end;
    }
    EXPECT_EQ(time, cost.total);
  }
}

// Oracle: a lower bound, computed by hand. The lower bound is the time of blending all pixels except the part of a rank
// itself. The upper bound is the equation for the next power of two, increased by a quarter. The quarter is for the round in
// which the ranks beyond a power of two forward their parts.
TEST(plan_cost, of_any_number_of_ranks_is_between_the_blending_and_five_quarters_of_the_next_power_of_two) {
  const auto m = net::blue_gene_l();
  constexpr std::int64_t pixels = 512 * 512;
  for (int n = 3; n < 300; ++n) {
    const auto cost = net::cost_of(swap_of(n, pixels, n / 2, 5), m, 4);
    const int next = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
    EXPECT_GT(cost.blend, 4 * pixels * (1 - 1.0 / n) / m.blend_rate * 0.999) << n;
    EXPECT_LT(cost.total, 1.25 * net::binary_swap_time(m, next, 4 * pixels).total()) << n;
  }
}

TEST(plan_cost, refuses_messages_with_one_end) {
  const auto broken = [](plan::round of_first) {
    return plan::plan_of("broken", 10, {{{std::move(of_first)}, {}}, {{plan::round{}}, {}}});
  };
  const auto m = net::blue_gene_l();
  EXPECT_THROW(net::cost_of(broken({.sends = {{1, {0, 5}}}}), m, 1), usage_error);
  EXPECT_THROW(net::cost_of(broken({.receives = {{1, {0, 5}}}}), m, 1), usage_error);
  EXPECT_THROW(net::cost_of(broken({.sends = {{2, {0, 5}}}}), m, 1), usage_error);
  EXPECT_THROW(net::cost_of(plan::plan{.name = "none", .elements = 10}, m, 1), usage_error);
  EXPECT_EQ(net::cost_of(broken({}), m, 1).total, 0);
}

}  // namespace plan_cost_test
