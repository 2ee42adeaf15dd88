#include "wormhole_reference.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <osteon/net/costs/simulate.hpp>
#include <osteon/net/networks/conflicts.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <random>

namespace wormhole_test {

using namespace osteon;
using net::network_by_text;
using plan::transposition_order;

constexpr int flits = 64;

net_test::worms worms_of(const net::network& where, const plan::plan& what, std::int64_t round) {
  std::vector<std::vector<int>> ways;
  for (int rank = 0; rank < what.ranks; ++rank)
    for (const auto& m : what.of(rank, round).sends) ways.push_back(where.route(rank, m.peer));
  return net_test::run_worms(where, ways, flits);
}

int longest_wait(const net_test::worms& worms) { return *std::max_element(worms.waited.begin(), worms.waited.end()); }

// Oracle: a simulation flit by flit. With the repair, no message ever waits. As printed, each round takes at least its load
// of 4 times as long.
TEST(wormhole, the_transposition_waits_as_printed_and_never_once_repaired) {
  const auto where = network_by_text("hxb:4x4x4");
  const auto printed = plan::transposition(64, transposition_order::printed, plan::equal_parcels(flits));
  const auto repaired = plan::transposition(64, transposition_order::x_first, plan::equal_parcels(flits));
  for (std::int64_t r = 0; r < 8; ++r) {
    const auto good = worms_of(where, repaired, r), bad = worms_of(where, printed, r);
    EXPECT_EQ(longest_wait(good), 0);
    EXPECT_LE(good.cycles, 8 + flits - 1);
    EXPECT_FALSE(bad.stuck);
    EXPECT_GE(bad.cycles, 4 * flits);
  }
}

// Oracle: a simulation flit by flit. Messages that are much longer than their routes wait for each other exactly if the load
// is above 1. No round ends before the time that the flow simulation predicts. In the flow simulation, messages share links
// and never block them.
TEST(wormhole, somebody_waits_where_the_load_is_above_one) {
  std::mt19937 random(2);
  int waiting = 0, free = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const auto where = network_by_text(repeat % 2 == 0 ? "hxb:4x4x4,rate=1B/s,startup=0s" : "mesh:8x8,rate=1B/s,startup=0s");
    // The rounds have from a few messages to a complete permutation, so that there are rounds with and without waiting.
    std::vector<int> to(64);
    std::iota(to.begin(), to.end(), 0);
    std::shuffle(to.begin(), to.end(), random);
    const int senders = 2 + static_cast<int>(random() % (repeat % 3 == 0 ? 62 : 8));
    std::vector<plan::listed_message> messages;
    for (int from = 0; from < senders; ++from)
      if (to[static_cast<std::size_t>(from)] != from)
        messages.push_back({0, from, to[static_cast<std::size_t>(from)], flits});
    if (messages.empty()) continue;
    const auto what = plan::plan_of("listed", 64, messages);
    const auto worms = worms_of(where, what, 0);
    ASSERT_FALSE(worms.stuck);
    const bool collision = net::count_conflicts(where, what).largest > 1;
    EXPECT_EQ(longest_wait(worms) > 0, collision) << repeat;
    (collision ? waiting : free) += 1;
    EXPECT_GE(worms.cycles, net::simulate(where, what).total * (1 - 1e-12));
  }
  EXPECT_GT(waiting, 10);
  EXPECT_GT(free, 10);
}

// Oracle: a known deadlock. On a ring of six, all PUs send two hops in one direction. Each head waits for a link that the
// next message occupies. The deadlock confirms that the reference models single channels.
TEST(wormhole, reference_gets_stuck_on_a_ring) {
  const auto where = network_by_text("torus:6");
  std::vector<std::vector<int>> ways;
  for (int from = 0; from < 6; ++from) {
    auto way = where.route(from, (from + 1) % 6);
    const auto next = where.route((from + 1) % 6, (from + 2) % 6);
    way.back() = next[1];
    way.push_back(next[2]);
    ways.push_back(way);
  }
  EXPECT_TRUE(net_test::run_worms(where, ways, flits).stuck);
}

}  // namespace wormhole_test
