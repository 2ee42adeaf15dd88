#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/net/costs/simulate.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <osteon/plan/exchange/exchange_method.hpp>
#include <random>

namespace simulate_test {

using namespace osteon;
using net::network_by_text;
using net::simulate;
using net::simulate_options;
using plan::transposition_order;

plan::plan listed(int ranks, const std::vector<plan::listed_message>& messages) {
  return plan::plan_of("listed", ranks, messages);
}

// Crossbar with round numbers: 1 byte per second and no start-up.
net::network crossbar(int pus, const std::string& more = "") {
  return network_by_text(std::string("crossbar:").append(std::to_string(pus)).append(",rate=1B/s,startup=0s").append(more));
}

// Oracle: computed by hand. Two messages to one PU share its ejection. The shorter message (10 bytes) ends at 20 s. The
// longer message (30 bytes) then has 20 bytes left and ends at 40 s. A third message between other PUs is not delayed.
TEST(simulate, messages_that_meet_share) {
  const auto result = simulate(crossbar(5), listed(5, {{0, 0, 2, 10}, {0, 1, 2, 30}, {0, 3, 4, 25}}));
  EXPECT_DOUBLE_EQ(result.rank_end[0], 20);
  EXPECT_DOUBLE_EQ(result.rank_end[1], 40);
  EXPECT_DOUBLE_EQ(result.rank_end[2], 40);
  EXPECT_DOUBLE_EQ(result.rank_end[4], 25);
  EXPECT_DOUBLE_EQ(result.total, 40);
  EXPECT_EQ(result.messages, 3);
}

// Oracle: computed by hand. One after another, the messages end at 10 and at 10 + 30. At the same time, both messages have
// half the rate until 20, and then the longer message needs 20 more at the full rate.
TEST(simulate, messages_of_one_rank_leave_in_turn_or_share) {
  const auto what = listed(3, {{0, 0, 1, 10}, {0, 0, 2, 30}});
  auto result = simulate(crossbar(3), what);
  EXPECT_DOUBLE_EQ(result.rank_end[1], 10);
  EXPECT_DOUBLE_EQ(result.rank_end[2], 40);
  result = simulate(crossbar(3), what, {.serial_sends = false});
  EXPECT_DOUBLE_EQ(result.rank_end[1], 20);
  EXPECT_DOUBLE_EQ(result.rank_end[2], 40);
}

// Oracle: computed by hand. The terms are the overheads of the sender, the latency of the route (three links of 2 s), and
// the processor of the receiver.
TEST(simulate, ends_of_messages_cost) {
  const auto where = network_by_text("mesh:2,rate=1B/s,startup=5s,latency=2s");
  EXPECT_DOUBLE_EQ(simulate(where, listed(2, {{0, 0, 1, 10}})).total, 5 + 10 + 6);
  EXPECT_DOUBLE_EQ(simulate(where, listed(2, {{0, 0, 1, 10}}), {.send_overhead = 1, .receive_overhead = 3}).total,
                   1 + 10 + 6 + 3);
  // Three messages of 10 bytes arrive at one PU at 30 s. The first message costs 4 s, and the others cost 4 + 7 s, and 1 s
  // for each message before them.
  const auto fan_in = listed(4, {{0, 1, 0, 10}, {0, 2, 0, 10}, {0, 3, 0, 10}});
  simulate_options o;
  o.receive_overhead = 4;
  o.arrival_overhead = 7;
  o.match_time = 1;
  EXPECT_DOUBLE_EQ(simulate(crossbar(4), fan_in, o).total, 30 + 3 * 4 + 2 * 7 + (1 + 2));
}

// Oracle: computed by hand. Rank 0 is busy with round 0 until 10 s. Rank 1 sends to rank 0 in round 1 at once. With the
// eager protocol, this message flows from 0 to 5 s, concurrently with the other message. With a rendezvous, the message
// starts at 10 s.
TEST(simulate, receivers_may_come_late) {
  const auto what = listed(3, {{0, 0, 2, 10}, {1, 1, 0, 5}});
  EXPECT_DOUBLE_EQ(simulate(crossbar(3), what).rank_end[1], 5);
  EXPECT_DOUBLE_EQ(simulate(crossbar(3), what).rank_end[0], 10);
  EXPECT_DOUBLE_EQ(simulate(crossbar(3), what, {.rendezvous = true}).total, 15);
  simulate_options barrier;
  barrier.barrier = true;
  barrier.barrier_time = 2;
  const auto result = simulate(crossbar(3), what, barrier);
  EXPECT_DOUBLE_EQ(result.total, 10 + 2 + 5 + 2);
  EXPECT_DOUBLE_EQ(result.round_end[0], 12);
}

// Oracle: computed by hand. A quarter of the rate is lost. An endless stream uses half of each link that it shares with the
// message.
TEST(simulate, shares_with_others) {
  const auto what = listed(2, {{0, 0, 1, 30}});
  EXPECT_DOUBLE_EQ(simulate(crossbar(4), what, {.background = 0.25}).total, 40);
  simulate_options o;
  o.streams = {{3, 1}};
  EXPECT_DOUBLE_EQ(simulate(crossbar(4), what, o).total, 60);
}

TEST(simulate, ranks_on_one_pu_use_no_link_but_share_its_ports) {
  const auto what = listed(4, {{0, 0, 1, 30}, {0, 2, 3, 10}});
  EXPECT_DOUBLE_EQ(simulate(crossbar(2), what, {}, std::vector<int>{0, 0, 0, 1}).total, 10);
  // Both messages leave PU 0 one after another.
  EXPECT_DOUBLE_EQ(simulate(crossbar(2), what, {}, std::vector<int>{0, 1, 0, 1}).total, 40);
}

// Oracle: Table 5 of [Itakura] by its own formula. Without collisions, there are A rounds of 5 us + bytes / 200 MB/s. As
// printed with X first, the messages of a round share a port with loads of 4 and 8, if start-up is left out.
TEST(simulate, of_the_transposition_is_the_formula) {
  for (const auto& [shape, side, load] : {std::tuple{"4x4x4", 8, 4}, {"4x8x8", 16, 8}}) {
    const std::int64_t bytes = std::int64_t{256} * 256 * 128 * 16 / (side * side) / side;
    const auto repaired = plan::transposition(side * side, transposition_order::x_first, plan::equal_parcels(bytes));
    const auto printed = plan::transposition(side * side, transposition_order::printed, plan::equal_parcels(bytes));
    const std::string hxb = std::string("hxb:") + shape;
    const double flow = static_cast<double>(bytes) / 200e6;
    simulate_options barrier;
    barrier.barrier = true;
    EXPECT_NEAR(simulate(network_by_text(hxb), repaired, barrier).total, side * (5e-6 + flow), 1e-12);
    EXPECT_NEAR(simulate(network_by_text(hxb + ",order=zyx"), printed, barrier).total, side * (5e-6 + flow), 1e-12);
    EXPECT_NEAR(simulate(network_by_text(hxb + ",startup=0s"), printed, barrier).total, side * load * flow, 1e-9);
  }
}

// Oracle: a lower bound. The bound counts the bytes on each link, and the time that one link needs for all its bytes.
TEST(simulate, is_never_faster_than_its_busiest_link) {
  std::mt19937 random(3);
  for (const char* text :
       {"torus:4x4", "fattree:4x4,over=2", "dragonfly:p=2,a=2,h=1", "hxb:3x4", "mesh:3x3,route=valiant"}) {
    const auto where = network_by_text(text);
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<plan::listed_message> messages;
      for (int k = 0; k < 30; ++k) {
        const int from = static_cast<int>(random() % 9),
                  to = static_cast<int>((from + 1 + static_cast<int>(random() % 8)) % 9);
        messages.push_back(
            {static_cast<std::int64_t>(random() % 3), from, to, static_cast<std::int64_t>(random() % 100000)});
      }
      for (const bool barrier : {false, true})
        for (const bool rendezvous : {false, true}) {
          simulate_options o;
          o.barrier = barrier;
          o.rendezvous = rendezvous;
          const auto result = simulate(where, listed(9, messages), o);
          double bound = 0;
          for (std::size_t l = 0; l < where.links.size(); ++l)
            bound = std::max(bound, result.link_bytes[l] / where.links[l].rate);
          EXPECT_GE(result.total, bound * (1 - 1e-12));
          EXPECT_EQ(result.messages, 30);
        }
    }
  }
}

// Oracle: computed by hand for a binary swap of 4 ranks on a crossbar. Half and a quarter of the image are sent and blended.
// The three other quarters arrive at the root one after another.
TEST(simulate, of_a_compositing_plan) {
  const auto what = plan::make_exchange("binary-swap", {.ranks = 4, .pixels = 400, .bytes_per_pixel = 1});
  simulate_options o;
  o.combine_rate = 0.5;
  EXPECT_DOUBLE_EQ(simulate(crossbar(4), what, o).total, (200 + 400) + (100 + 200) + 300);
}

TEST(simulate, rejects_invalid_input) {
  const auto what = plan::butterfly(4, 8);
  EXPECT_THROW(simulate(crossbar(3), what), usage_error);
  EXPECT_THROW(simulate(crossbar(4), what, {.background = 1}), usage_error);
  EXPECT_THROW(simulate(crossbar(4), what, {.receive_overhead = -1}), usage_error);
  EXPECT_THROW(simulate(crossbar(4), what, {.combine_rate = 0}), usage_error);
  simulate_options o;
  o.streams = {{1, 1}};
  EXPECT_THROW(simulate(crossbar(4), what, o), usage_error);
  auto broken = what;
  broken.of = [what](int rank, std::int64_t r) {
    auto now = what.of(rank, r);
    if (rank == 1) now.sends.clear();
    return now;
  };
  for (const bool barrier : {false, true}) {
    simulate_options with;
    with.barrier = barrier;
    EXPECT_THROW(simulate(crossbar(4), broken, with), usage_error);
  }
}

}  // namespace simulate_test
