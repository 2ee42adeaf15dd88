#include <gtest/gtest.h>

#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/conflicts.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <random>

namespace conflicts_test {

using namespace osteon;
using net::count_conflicts;
using net::network_by_text;
using net::proven_free_of_conflicts;
using plan::transposition_order;

const auto bytes = plan::equal_parcels(8);

std::string text_of(const char* kind, const std::vector<int>& shape) {
  std::string text = kind;
  for (std::size_t d = 0; d < shape.size(); ++d) text.append(d == 0 ? ":" : "x").append(std::to_string(shape[d]));
  return text;
}

int largest(const std::string& network, const plan::plan& what) {
  return count_conflicts(network_by_text(network), what).largest;
}

// Oracle: determined by hand. As printed, PU m A + n of the plane of side A sends to n A + u, with u = m + n + t (mod A).
// After X and Y, a message has X and Y of its destination and its own Z. These coordinates depend only on n and on the
// leading bit of u. The A / 2 messages with equal coordinates (4, 8 and 16) enter that PU by one link along Y. On 32 x 32,
// all 32 messages with an equal n meet at (n, n). This PU is the destination of one message, and 31 messages leave it by one
// link along Y. Both repairs keep the positions of messages apart after each dimension (docs/theory/network.md, "Proofs"),
// so that the load is 1.
TEST(conflicts, of_the_transposition_as_printed_and_repaired) {
  const std::vector<std::pair<std::vector<int>, int>> cases{
      {{4, 4, 4}, 4}, {{4, 8, 8}, 8}, {{8, 8, 16}, 16}, {{32, 32}, 31}};
  for (const auto& [shape, load] : cases) {
    const auto xyz = network_by_text(text_of("hxb", shape));
    const auto zyx = network_by_text(text_of("hxb", shape) + (shape.size() == 3 ? ",order=zyx" : ",order=yx"));
    const auto printed = plan::transposition(xyz.pus, transposition_order::printed, bytes);
    const auto repaired = plan::transposition(xyz.pus, transposition_order::x_first, bytes);
    const auto collides = count_conflicts(xyz, printed);
    EXPECT_EQ(collides.largest, load);
    EXPECT_EQ(collides.free_rounds, 0);
    EXPECT_EQ(count_conflicts(zyx, printed).largest, 1);
    EXPECT_EQ(count_conflicts(xyz, repaired).largest, 1);
    EXPECT_EQ(proven_free_of_conflicts(xyz, printed), std::nullopt);
    EXPECT_NE(proven_free_of_conflicts(zyx, printed), std::nullopt);
    EXPECT_NE(proven_free_of_conflicts(xyz, repaired), std::nullopt);
    EXPECT_EQ(proven_free_of_conflicts(zyx, repaired), std::nullopt);
  }
}

// Oracle: determined by hand. X is corrected first, so that messages of several rows meet at one PU and leave this PU by one
// link.
TEST(conflicts, name_the_first_pair) {
  const auto where = network_by_text("hxb:4x4x4");
  const auto what = plan::transposition(64, transposition_order::printed, bytes);
  const auto report = count_conflicts(where, what);
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->round, 0);
  for (const auto& m : {report.first->first, report.first->second}) {
    const auto way = where.route(m.from, m.to);
    EXPECT_NE(std::find(way.begin(), way.end(), report.first->link), way.end());
    const auto sends = what.of(m.from, 0).sends;
    ASSERT_EQ(sends.size(), 1u);
    EXPECT_EQ(sends[0].peer, m.to);
  }
  EXPECT_NE(report.first->first.from, report.first->second.from);
  // If there are as many virtual channels as messages, no message is blocked, although messages share the rate.
  const auto wide = count_conflicts(network_by_text("hxb:4x4x4,channels=4"), what);
  EXPECT_EQ(wide.largest, 4);
  EXPECT_EQ(wide.free_rounds, 8);
}

// Oracle: counts of a separate program. The load of a link in a round is the number of messages routed through the link.
// Routes correct one dimension after another by single hops. On a torus, routes go the shorter way round. If both ways are
// equally long, routes go up from even coordinates and down from odd coordinates. The test compares the largest load of all
// rounds, and the mean over the rounds of the largest load.
TEST(conflicts, of_known_schedules) {
  const auto shift = [](const std::vector<int>& shape) { return plan::shift_exchange(shape, bytes); };
  for (const auto& shape : {std::vector{4, 4, 4}, {4, 4, 8}, {4, 8, 8}, {8, 8, 8}, {8, 8, 16}}) {
    const std::string hxb = text_of("hxb", shape);
    const int n = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
    EXPECT_EQ(largest(hxb, plan::butterfly(n, 8)), 1);
    EXPECT_EQ(largest(hxb, plan::prefix_tree(n, 8)), 1);
    EXPECT_EQ(largest(hxb, plan::xor_exchange(n, bytes)), 1);
    EXPECT_EQ(largest(hxb, plan::shift_exchange({n}, bytes)), 1);
    EXPECT_EQ(largest(hxb, shift(shape)), 1);
  }
  EXPECT_EQ(largest("hxb:12x9x10", shift({12, 9, 10})), 1);
  const auto on_mesh = count_conflicts(network_by_text("mesh:8x8x16"), shift({8, 8, 16}));
  EXPECT_EQ(on_mesh.largest, 8);
  EXPECT_NEAR(on_mesh.mean_largest, 4.52, 0.005);
  const auto on_torus = count_conflicts(network_by_text("torus:8x8x16"), shift({8, 8, 16}));
  EXPECT_EQ(on_torus.largest, 7);
  EXPECT_NEAR(on_torus.mean_largest, 4.11, 0.005);
  EXPECT_EQ(largest("torus:4x4x4", shift({4, 4, 4})), 1);
  const auto printed = plan::transposition(1024, transposition_order::printed, bytes);
  EXPECT_EQ(largest("mesh:8x8x16", printed), 24);
  EXPECT_EQ(largest("torus:8x8x16", printed), 12);
  EXPECT_EQ(largest("hypercube:10", printed), 1);
  EXPECT_EQ(largest("hypercube:10", shift({8, 8, 16})), 1);
  EXPECT_EQ(largest("hypercube:10", plan::xor_exchange(1024, bytes)), 1);
}

// Oracle: enumeration. Wherever a theorem is claimed, counting finds no conflict. The test uses random shapes, orders and
// exchanges.
TEST(conflicts, proofs_agree_with_counting) {
  std::mt19937 random(5);
  const auto upto = [&](unsigned n) { return static_cast<int>(random() % n); };
  int proven = 0, collided = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    std::vector<int> shape;
    int n = 1;
    for (int d = 1 + upto(3); d > 0; --d) {
      shape.push_back(1 + upto(6));
      n *= shape.back();
    }
    std::vector<int> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const char* const kinds[] = {"hxb", "torus", "mesh"};
    std::string text = text_of(kinds[random() % 3], shape) + ",order=";
    for (const int d : order) text += static_cast<char>('0' + d);
    auto other = shape;
    std::shuffle(other.begin(), other.end(), random);
    const auto where = network_by_text(text);
    std::vector<plan::plan> exchanges{plan::shift_exchange(shape, bytes), plan::shift_exchange(other, bytes),
                                      plan::xor_exchange(1 + upto(static_cast<unsigned>(n)), bytes)};
    for (const auto& what : exchanges) {
      const auto report = count_conflicts(where, what);
      if (proven_free_of_conflicts(where, what)) {
        ++proven;
        EXPECT_EQ(report.free_rounds, what.rounds) << text << " " << what.name << " " << what.ranks;
      }
      collided += report.free_rounds < what.rounds;
    }
  }
  EXPECT_GT(proven, 100);
  EXPECT_GT(collided, 100);
  for (const std::string text :
       {"hxb:9x3x3", "hxb:3x9x3", "hxb:2x18x4", "hxb:6x2x12", "hxb:12x12x1", "hxb:4x6x6", "hxb:16x4x4", "hxb:4x4x16",
        "hxb:5x5", "hxb:6x6", "hxb:4x9", "hxb:9x4", "hxb:2x2x3x3", "hxb:36", "hxb:8x2x4"})
    for (const std::string order : {"", ",order=zyx"}) {
      if (!order.empty() && std::count(text.begin(), text.end(), 'x') != 3) continue;
      const auto where = network_by_text(text + order);
      for (const auto which : {transposition_order::printed, transposition_order::x_first}) {
        const auto what = plan::transposition(where.pus, which, bytes);
        if (proven_free_of_conflicts(where, what)) {
          EXPECT_EQ(count_conflicts(where, what).largest, 1) << text << order << what.name;
        }
      }
    }
}

TEST(conflicts, rejects_uncountable_plans) {
  const auto where = network_by_text("hxb:8x8");
  EXPECT_THROW(count_conflicts(where, plan::shift_exchange({65}, bytes)), usage_error);
  EXPECT_THROW(count_conflicts(where, plan::butterfly(64, 8), {}, {6, 7}), usage_error);
  const auto many = plan::shift_exchange({20000}, bytes);
  EXPECT_THROW(count_conflicts(network_by_text("crossbar:20000"), many), usage_error);
  const auto some = count_conflicts(network_by_text("crossbar:20000"), many, {}, {100, 5000, 1000});
  ASSERT_EQ(some.rounds.size(), 5u);
  EXPECT_EQ(some.rounds[1].round, 1100);
  EXPECT_EQ(some.largest, 1);
  // Oracle: a placement with both ends on one PU uses no link. Two pairs across the cut share a port.
  const auto pairs = plan::butterfly(2, 8);
  EXPECT_EQ(count_conflicts(where, pairs, std::vector<int>{5, 5}).largest, 0);
  EXPECT_EQ(count_conflicts(where, plan::butterfly(4, 8), std::vector<int>{0, 0, 9, 9}, {1, 2}).largest, 2);
}

}  // namespace conflicts_test
