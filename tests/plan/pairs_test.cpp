#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <osteon/plan/exchange/pairs.hpp>

namespace osteon::plan::pairs_test {

// Oracle: each pair occurs exactly once, both partners agree, and the number of rounds is known.
TEST(pairs, each_pair_meets_once_for_every_count) {
  for (int n = 1; n <= 257; ++n)
    for (const auto method : {pairing_method::exclusive_or, pairing_method::circle}) {
      const pairing schedule{n, method};
      std::vector<char> seen(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
      int met = 0;
      for (int r = 0; r < schedule.rounds(); ++r)
        for (int i = 0; i < n; ++i) {
          const int j = schedule.partner(i, r);
          if (j < 0) continue;
          if (j >= n || j == i || schedule.partner(j, r) != i) FAIL() << n << " round " << r << ": " << i << " " << j;
          if (i < j) {
            char& pair = seen[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
            if (pair++) FAIL() << n << ": " << i << " meets " << j << " twice";
            ++met;
          }
        }
      EXPECT_EQ(met, n * (n - 1) / 2);
    }
}

// Oracle: table 1 of [Ito] as printed.
TEST(pairs, eight_nodes_are_paired_as_the_paper_prints) {
  constexpr int printed[8][7] = {{1, 2, 3, 4, 5, 6, 7}, {0, 3, 2, 5, 4, 7, 6}, {3, 0, 1, 6, 7, 4, 5}, {2, 1, 0, 7, 6, 5, 4},
                                 {5, 6, 7, 0, 1, 2, 3}, {4, 7, 6, 1, 0, 3, 2}, {7, 4, 5, 2, 3, 0, 1}, {6, 5, 4, 3, 2, 1, 0}};
  const pairing schedule = best_pairing(8);
  ASSERT_EQ(schedule.rounds(), 7);
  for (int node = 0; node < 8; ++node)
    for (int step = 0; step < 7; ++step) EXPECT_EQ(schedule.partner(node, step), printed[node][step]);
}

// Oracle: the counts of the formula of [Ito] and of round robin.
TEST(pairs, round_robin_needs_fewer_rounds_off_powers_of_two) {
  for (const auto& [n, exclusive_or, circle] :
       {std::array{48, 63, 47}, std::array{64, 63, 63}, std::array{65, 127, 65}, std::array{513, 1023, 513}}) {
    EXPECT_EQ((pairing{n, pairing_method::exclusive_or}.rounds()), exclusive_or);
    EXPECT_EQ((pairing{n, pairing_method::circle}.rounds()), circle);
    EXPECT_EQ(best_pairing(n).rounds(), circle);
  }
  EXPECT_EQ((pairing{65, pairing_method::exclusive_or}.super_rounds(8)), 16);
  EXPECT_EQ((pairing{65, pairing_method::circle}.super_rounds(8)), 9);
}

// Oracle: an invariant. Every send of a round matches a receive of the partner.
TEST(pairs, the_plan_matches_on_both_sides) {
  const plan all = exchange_all_pairs(best_pairing(6), 100);
  int messages = 0;
  for (int rank = 0; rank < 6; ++rank) {
    const rank_plan own = all.part(rank);
    ASSERT_EQ(own.rounds.size(), 5u);
    for (std::size_t r = 0; r < 5; ++r)
      for (const message& m : own.rounds[r].sends) {
        ++messages;
        const auto other = all.of(m.peer, static_cast<std::int64_t>(r)).receives;
        EXPECT_EQ(std::count(other.begin(), other.end(), message{rank, m.elements}), 1);
      }
  }
  EXPECT_EQ(messages, 30);
}

}  // namespace osteon::plan::pairs_test
