#pragma once
/// @file
/// Rounds of disjoint pairs in which each pair of participants occurs once, for link measurements and pairwise exchanges.
#include <osteon/plan/plan.hpp>
#include <utility>
#include <vector>

namespace osteon::plan {

enum class pairing_method : std::uint8_t {
  exclusive_or,  ///< the partner of i in round k = 1 .. 2^m - 1 is i XOR k, where 2^(m-1) < n <= 2^m; i is idle if the
                 ///< partner is n or more
  circle,        ///< round robin: the minimum number of rounds, which is n - 1 for even n and n for odd n
};

/// Schedule of pairs among `count` participants, computed on demand.
/// @cite [Ito], section 3.2 and table 1 (exclusive or)
struct pairing {
  int count = 0;
  pairing_method method = pairing_method::circle;

  int rounds() const;
  /// Partner of a participant in a round, or -1 if the participant is idle. Rounds are numbered from 0. @cost O(1)
  int partner(int participant, int round) const;
  /// Pairs (a, b), a < b, of a round.
  std::vector<std::pair<int, int>> pairs(int round) const;
  /// Number of super-rounds if `at_once` rounds run concurrently, on different cores of the participants.
  int super_rounds(int at_once) const { return (rounds() + at_once - 1) / at_once; }
};

/// Recommended schedule. For powers of two, the schedule of [Ito]; for other counts, round robin, which has less idle time
/// than the schedule of [Ito].
pairing best_pairing(int count);

/// The schedule as a plan: each pair exchanges the complete object of `elements` elements in its round.
plan exchange_all_pairs(const pairing& schedule, std::int64_t elements);

}  // namespace osteon::plan
