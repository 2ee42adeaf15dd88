#include <gtest/gtest.h>

#include <osteon/plan/composite/swap.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <osteon/plan/exchange/exchange_method.hpp>
#include <osteon/plan/verify.hpp>

namespace exchange_test {

using namespace osteon;

std::string faults(const plan::plan& what, const plan::goal& wanted = {}) {
  std::string text;
  for (const auto& p : plan::verify(what, wanted)) text += p.where + ": " + p.text + "\n";
  return text;
}

std::int64_t skewed(int from, int to) { return 7 * from + 3 * to % 11; }

// Values of all ranks after an exchange in which objects are added or replaced.
std::vector<std::int64_t> execute(const plan::plan& what, std::vector<std::int64_t> values) {
  for (std::int64_t r = 0; r < what.rounds; ++r) {
    const auto before = values;
    for (int rank = 0; rank < what.ranks; ++rank)
      for (const auto& m : what.of(rank, r).receives) {
        auto& own = values[static_cast<std::size_t>(rank)];
        const auto arrived = before[static_cast<std::size_t>(m.peer)];
        own = m.on_arrival == plan::arrival::add ? own + arrived : arrived;
      }
  }
  return values;
}

// Oracle: symbolic execution. Every ordered pair occurs once, and every message has both ends in its round.
TEST(exchange, all_to_all_delivers_each_pair_once_for_any_number_of_ranks) {
  for (int n = 1; n <= 257; ++n) {
    ASSERT_EQ(faults(plan::shift_exchange({n}, skewed)), "") << n;
    ASSERT_EQ(faults(plan::xor_exchange(n, skewed)), "") << n;
    ASSERT_EQ(faults(plan::pairwise_exchange(n, skewed)), "") << n;
    if (n > 70 && n % 31 != 0 && n < 255) continue;
    ASSERT_EQ(faults(plan::bruck_exchange(n, skewed)), "") << n;
    for (const int host : {1, 2, 3, 7, 8, 48, 300}) ASSERT_EQ(faults(plan::hierarchical_exchange(n, host, skewed)), "") << n;
  }
  for (const auto& shape : {std::vector<int>{2, 3, 4}, {4, 4, 4}, {1, 5, 1}, {3, 1, 2, 2}})
    EXPECT_EQ(faults(plan::shift_exchange(shape, skewed)), "");
}

// Oracle: adding on the way up and replacing on the way down yields the sum on every rank, with 2 (n - 1) messages.
TEST(exchange, a_reduction_to_all_leaves_the_sum_on_every_rank) {
  for (int n = 1; n <= 70; ++n) {
    const auto what = plan::all_reduce(n, 8);
    ASSERT_EQ(faults(what, {.holds = [n](int) { return plan::span{0, n}; }}), "") << n;
    std::vector<std::int64_t> values;
    std::int64_t sum = 0, messages = 0;
    for (int r = 0; r < n; ++r) values.push_back((r + 3) * (r + 7)), sum += values.back();
    for (std::int64_t round = 0; round < what.rounds; ++round) {
      const auto before = values;
      for (int rank = 0; rank < n; ++rank)
        for (const auto& m : what.of(rank, round).receives) {
          auto& own = values[static_cast<std::size_t>(rank)];
          const auto arrived = before[static_cast<std::size_t>(m.peer)];
          own = 2 * round < what.rounds ? own + arrived : arrived;
          ++messages;
        }
    }
    EXPECT_EQ(values, std::vector<std::int64_t>(static_cast<std::size_t>(n), sum)) << n;
    EXPECT_EQ(messages, 2 * (n - 1));
  }
}

// Oracle: known numbers of rounds. No rank has two partners in a round of the direct schedules.
TEST(exchange, all_to_all_has_its_number_of_rounds) {
  const auto sizes = plan::equal_parcels(8);
  for (int n = 2; n <= 40; ++n) {
    EXPECT_EQ(plan::shift_exchange({n}, sizes).rounds, n - 1);
    EXPECT_EQ(plan::pairwise_exchange(n, sizes).rounds, n % 2 == 0 ? n - 1 : n);
    for (const auto& what :
         {plan::shift_exchange({n}, sizes), plan::xor_exchange(n, sizes), plan::pairwise_exchange(n, sizes)})
      for (std::int64_t r = 0; r < what.rounds; ++r)
        for (int rank = 0; rank < n; ++rank) {
          const auto now = what.of(rank, r);
          ASSERT_LE(now.sends.size(), 1u);
          ASSERT_LE(now.receives.size(), 1u);
        }
  }
  EXPECT_EQ(plan::xor_exchange(65, sizes).rounds, 127);
  EXPECT_EQ(plan::bruck_exchange(65, sizes).rounds, 7);
  EXPECT_EQ(plan::hierarchical_exchange(64, 8, sizes).rounds, 7 + 7);
  // All bytes of 64 ranks. Each rank has 63 parcels that are sent directly, and parcels for which both host and place
  // change, which are sent twice.
  std::int64_t bytes = 0;
  const auto hierarchical = plan::hierarchical_exchange(64, 8, sizes);
  for (std::int64_t r = 0; r < hierarchical.rounds; ++r)
    for (const auto& m : hierarchical.of(13, r).sends) bytes += m.size();
  EXPECT_EQ(bytes, 8 * (7 + 7 + 2 * 49));
}

// Oracle: symbolic execution. PU(m, n) has parcels for PU(n, *), or for PU(*, m).
TEST(exchange, transposition_brings_columns_to_rows) {
  for (int side = 1; side <= 16; ++side) {
    const int n = side * side;
    EXPECT_EQ(faults(plan::transposition(n, plan::transposition_order::printed, skewed),
                     {.wanted = [side](int from, int to) { return from % side == to / side; }}),
              "")
        << side;
    EXPECT_EQ(faults(plan::transposition(n, plan::transposition_order::x_first, skewed),
                     {.wanted = [side](int from, int to) { return from / side == to % side; }}),
              "")
        << side;
  }
  try {
    plan::transposition(1000, plan::transposition_order::printed, skewed);
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("961 or 1024"), std::string::npos) << e.what();
  }
}

// Oracle: sums in sequence.
TEST(exchange, prefix_sums_whatever_the_number_of_ranks) {
  for (int n = 1; n <= 257; ++n) {
    std::vector<std::int64_t> values, expected;
    for (int i = 0; i < n; ++i) {
      values.push_back(i * i % 17 + 1);
      expected.push_back(values.back() + (i == 0 ? 0 : expected.back()));
    }
    for (const auto& what : {plan::prefix_tree(n, 8), plan::prefix_doubling(n, 8)}) {
      ASSERT_EQ(faults(what, {.holds = [](int rank) { return plan::span{0, rank + 1}; }}), "") << n;
      ASSERT_EQ(execute(what, values), expected) << what.name << n;
    }
  }
}

// Oracle: every rank has the value of the root.
TEST(exchange, broadcast_reaches_everybody) {
  for (int n = 1; n <= 100; ++n)
    for (const int root : {0, n / 3, n - 1}) {
      std::vector<std::int64_t> values(static_cast<std::size_t>(n), 0);
      values[static_cast<std::size_t>(root)] = 42;
      const auto what = plan::broadcast_tree(n, root, 8);
      ASSERT_EQ(faults(what, {.holds = [root](int) { return plan::span{root, root + 1}; }}), "");
      ASSERT_EQ(execute(what, values), std::vector<std::int64_t>(static_cast<std::size_t>(n), 42)) << n;
    }
  EXPECT_THROW(plan::broadcast_tree(4, 4, 8), usage_error);
}

TEST(exchange, butterfly_and_halo_have_both_ends) {
  for (int n = 1; n <= 257; ++n) ASSERT_EQ(faults(plan::butterfly(n, 100)), "") << n;
  for (const bool periodic : {false, true})
    for (const auto& shape : {std::array{3, 4, 5}, {1, 1, 1}, {2, 2, 2}, {1, 1, 7}})
      EXPECT_EQ(faults(plan::halo_exchange(shape, {1, 2, 3}, periodic)), "");
  // Oracle: the six faces of an interior block.
  const auto halo = plan::halo_exchange({3, 3, 3}, {100, 10, 1}, false).of(13, 0);
  std::int64_t bytes = 0;
  for (const auto& m : halo.sends) bytes += m.size();
  EXPECT_EQ(halo.sends.size(), 6u);
  EXPECT_EQ(bytes, 222);
}

// Oracle: each kind of damage of an exchange is detected.
TEST(exchange, verify_finds_errors) {
  const auto good = plan::shift_exchange({5}, skewed);
  auto bad = good;
  bad.of = [&](int rank, std::int64_t r) {
    auto now = good.of(rank, r);
    if (rank == 2 && r == 1) now.sends.clear();
    return now;
  };
  EXPECT_NE(faults(bad).find("from rank 2, which does not send"), std::string::npos);
  bad.of = [&](int rank, std::int64_t r) {
    auto now = good.of(rank, r);
    if (rank == 2 && r == 1) now.receives.clear();
    return now;
  };
  EXPECT_NE(faults(bad).find("does not receive"), std::string::npos);
  bad.of = [&](int rank, std::int64_t r) {
    auto now = good.of(rank, r);
    if (rank == 2 && r == 1) now.sends[0].elements.end += 1;
    return now;
  };
  EXPECT_NE(faults(bad).find("which sends"), std::string::npos);
  bad.of = [&](int rank, std::int64_t r) { return good.of(rank, r == 2 ? 1 : r); };
  EXPECT_NE(faults(bad).find("does not have"), std::string::npos);
  bad = good;
  bad.rounds = 3;
  EXPECT_NE(faults(bad).find("the parcel from 0 to 4 is at rank 0"), std::string::npos);
}

// Oracle: the text of the fault, for elements that are added twice and for missing elements.
TEST(exchange, verify_finds_wrong_sums) {
  const plan::goal all{.holds = [](int) { return plan::span{0, 4}; }};
  auto bad = plan::all_reduce(4, 8);
  bad.rounds = 3;
  EXPECT_NE(faults(bad, all).find("rank 3: elements [0, 8) contain ranks [3, 4) instead of [0, 4)"), std::string::npos);
  bad.of = [good = plan::all_reduce(4, 8)](int rank, std::int64_t r) { return good.of(rank, r == 1 ? 0 : r); };
  EXPECT_NE(faults(bad, all).find("adds elements [0, 8)"), std::string::npos) << faults(bad, all);
}

// Oracle: the steps of the plan. A binary swap of 4 ranks halves the image twice, and then each other rank sends a quarter
// to the root.
TEST(exchange, of_a_compositing_plan_has_its_bytes) {
  const auto what = plan::make_exchange("binary-swap", {.ranks = 4, .pixels = 1000, .bytes_per_pixel = 4});
  EXPECT_EQ(faults(what), "");
  ASSERT_EQ(what.rounds, 3);
  EXPECT_EQ(what.bytes(what.of(1, 0).sends.at(0)), 2000);
  EXPECT_EQ(plan::transfers(what, what.of(1, 0).receives).at(0).combined, 2000);
  EXPECT_EQ(what.bytes(what.of(1, 1).sends.at(0)), 1000);
  EXPECT_EQ(what.of(0, 2).receives.size(), 3u);
  EXPECT_EQ(plan::transfers(what, what.of(0, 2).receives).at(0).combined, 0);
}

// Oracle: determined by hand. For an object, spans for one peer are sent together. Other messages are separate.
TEST(exchange, travels_in_as_many_pieces_as_it_has_to) {
  const std::vector<plan::message> messages{
      {1, {0, 4}, plan::arrival::blend_back}, {2, {4, 5}}, {1, {6, 9}}, {1, {9, 10}, plan::arrival::add}};
  plan::plan what{.name = "", .ranks = 3, .elements = 10, .element_bytes = 2};
  const auto joined = plan::transfers(what, messages);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].peer, 1);
  EXPECT_EQ(joined[0].bytes, 16);
  EXPECT_EQ(joined[0].combined, 10);
  EXPECT_EQ(joined[1].bytes, 2);
  what.moves = plan::cargo::bytes;
  EXPECT_EQ(plan::transfers(what, messages).size(), 4u);
}

TEST(exchange, names_are_understood_or_refused) {
  for (const auto& known : plan::known_exchanges()) {
    const int ranks = known.name.starts_with("halo") ? 8 : 16;
    EXPECT_EQ(plan::make_exchange(known.name, {.ranks = ranks}).ranks, ranks) << known.name;
  }
  EXPECT_EQ(plan::make_exchange("shift", {.ranks = 24, .shape = {2, 3, 4}}).name, "shift:2x3x4");
  for (const char* text :
       {"", "shfit", "shift:", "shift:4x", "shift:0x4", "shift:2x2", "shift:99999x99999x99999x16", "halo:2x2",
        "halo:2x2x4:round", "hierarchical:0", "hierarchical:x", "broadcast:16", "broadcast:-1", "ring:3"})
    EXPECT_THROW(plan::make_exchange(text, {.ranks = 16}), usage_error) << text;
  EXPECT_THROW(plan::make_exchange("ring", {.ranks = 0}), usage_error);
  EXPECT_THROW(plan::make_exchange("ring", {.ranks = 4, .bytes = -1}), usage_error);
}

// Oracle: the text itself.
TEST(exchange, written_down_message_by_message) {
  const auto what = plan::parse_messages("# a remark\n0 1 2 100\n\n2 2 1 7 # back\r\n 2\t0 1 5", "here");
  EXPECT_EQ(faults(what), "");
  EXPECT_EQ(what.ranks, 3);
  EXPECT_EQ(what.rounds, 3);
  EXPECT_EQ(what.of(1, 2).receives.size(), 2u);
  EXPECT_EQ(what.of(1, 0).sends.at(0).size(), 100);
  auto among_more = what;
  among_more.ranks = 5;
  EXPECT_EQ(faults(among_more), "") << "ranks that the list does not name have no messages";
  for (const char* text : {"", "#", "0 1 2", "0 1 2 3 4", "0 1 1 5", "0 -1 2 3", "a", "0 1 2 3x", "0 1 99999999 1",
                           "0 1 2 99999999999999999999"})
    EXPECT_THROW(plan::parse_messages(text, "here"), data_error) << text;
}

// Oracle: the text itself. An end that does not occur in the text is missing.
TEST(exchange, written_down_by_its_ends) {
  const auto what = plan::parse_messages("0 1 2 100 sent\n0 1 2 100 received # late\r\n3 0 2 5\n", "here");
  EXPECT_EQ(faults(what), "");
  EXPECT_EQ(what.rounds, 4);
  EXPECT_EQ(what.of(1, 0).sends.at(0).size(), 100);
  EXPECT_TRUE(what.of(1, 0).receives.empty());
  EXPECT_EQ(what.of(2, 3).receives.at(0).size(), 5);
  EXPECT_NE(faults(plan::parse_messages("0 1 2 100 sent", "here")), "");
  EXPECT_NE(faults(plan::parse_messages("0 1 2 100 sent\n0 1 2 99 received", "here")), "");
  EXPECT_NE(faults(plan::parse_messages("0 1 2 100 sent\n1 1 2 100 received", "here")), "");
  for (const char* text : {"sent", "0 1 2 sent", "0 1 2 3 4 sent", "0 1 2 3 sent received", "0 1 2 3 sentreceived"})
    EXPECT_THROW(plan::parse_messages(text, "here"), data_error) << text;
}

}  // namespace exchange_test
