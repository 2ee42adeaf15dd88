#pragma once
/// @file
/// Rounds of disjoint pairs in which each pair of participants occurs once. Link measurements and pairwise exchanges use
/// these rounds.
#include <osteon/plan/plan.hpp>
#include <utility>
#include <vector>

namespace osteon::plan {

enum class pairing_method : std::uint8_t {
  exclusive_or,  ///< the partner of i in round k = 1 .. 2^m - 1 is i XOR k, where 2^(m-1) < n <= 2^m; i is idle if the
                 ///< partner is n or more
  circle,        ///< round robin; this schedule has the minimum number of rounds: n - 1 for even n, and n for odd n
};

/// Schedule of pairs among `count` participants. The pairs are computed on demand.
/// @cite [Ito], section 3.2 and table 1 (exclusive or)
struct pairing {
  int count = 0;
  pairing_method method = pairing_method::circle;

  int rounds() const;
  /// Partner of a participant in a round. If the participant is idle, the result is -1. Rounds are numbered from 0. @cost
  /// O(1)
  int partner(int participant, int round) const;
  /// Pairs (a, b) of a round, with a < b.
  std::vector<std::pair<int, int>> pairs(int round) const;
  /// Number of super-rounds. In a super-round, `at_once` rounds run concurrently on different cores of the participants.
  int super_rounds(int at_once) const { return (rounds() + at_once - 1) / at_once; }
};

/// Recommended schedule of pairs. For powers of two, the result is the schedule of [Ito]. For other counts, the result is
/// round robin, because participants are idle less often than in the schedule of [Ito].
pairing best_pairing(int count);

/// The schedule as a plan. In its round, each pair exchanges the complete object of `elements` elements.
plan exchange_all_pairs(const pairing& schedule, std::int64_t elements);

}  // namespace osteon::plan
