#pragma once
/// @file
/// Rounds of disjoint pairs in which each pair of participants occurs once, for link measurements and pairwise exchanges.
#include <osteon/plan/plan.hpp>
#include <utility>
#include <vector>

namespace osteon::plan {

enum class pairing_method : std::uint8_t {
  exclusive_or,  ///< partner i XOR k in round k = 1 .. 2^m - 1, 2^(m-1) < n <= 2^m; idle if the partner is n or more
  circle,        ///< round robin: n - 1 rounds for even n, n for odd n, the minimum
};

/// Schedule of pairs among `count` participants, computed on demand.
/// @cite [Ito], section 3.2 and table 1 (exclusive or)
struct pairing {
  int count = 0;
  pairing_method method = pairing_method::circle;

  int rounds() const;
  /// Partner of a participant in a round from 0, or -1 if it is idle. @cost O(1)
  int partner(int participant, int round) const;
  /// Pairs (a, b), a < b, of a round.
  std::vector<std::pair<int, int>> pairs(int round) const;
  /// Number of super-rounds if `at_once` rounds run concurrently, on different cores of the participants.
  int super_rounds(int at_once) const { return (rounds() + at_once - 1) / at_once; }
};

/// Recommended schedule: that of [Ito] for powers of two, otherwise round robin, which has less idle time.
pairing best_pairing(int count);

/// Schedule as a plan: in its round each pair exchanges the complete object of `elements`.
plan exchange_all_pairs(const pairing& schedule, std::int64_t elements);

}  // namespace osteon::plan
