#pragma once
/// @file
/// The cost of any plan on a machine that composites, by walking its messages.
#include <osteon/net/costs/compositing_machine.hpp>
#include <osteon/plan/plan.hpp>
#include <vector>

namespace osteon::net {

/// A round on the critical path.
struct critical_round {
  int rank = 0;
  int round = 0;
  double begin = 0, end = 0;  ///< s; `begin` of a round is `end` of the one before
  friend bool operator==(const critical_round&, const critical_round&) = default;
};

/// The cost of a plan. total = exchange + blend + collect, all along the critical path.
struct plan_cost {
  double total = 0;                  ///< s until the last rank is done
  double exchange = 0;               ///< s of rounds in which somebody blends, but for the blending
  double blend = 0;                  ///< s of blending that nothing else hides
  double collect = 0;                ///< s of rounds in which nobody blends
  std::vector<critical_round> path;  ///< rounds 0, 1, ... and the rank on which each of them ends the latest message chain
  double busiest_bytes = 0;          ///< the most bytes that a rank sends or receives, whichever is more
  int busiest_rank = 0;
  std::int64_t messages = 0;
};

/// Walk a plan's rounds with a clock for each rank (LogGP with blending and fan-in).
///
/// All that goes from one rank to another in a round is one message. A rank enters a round when its last one is over. It
/// posts its sends in their order, each after `send_overhead` of its processor; they leave one after the other
/// at the network's rate, and the first byte arrives `latency` later. Once it is in the round, a receiver takes in messages
/// at the same rate, one after the other in any order, each with its share of `fan_in`; its processor blends them in any
/// order, a message at a time and beside what still arrives. The round is over when everything is sent, taken in and
/// blended; a sender does not wait for a late receiver. The ranks of a host that communicate with other hosts in a round
/// share `host_rate`; links of a torus are not walked. A round in which nobody blends is a collect: it has the gathering
/// network's rate and latency, and since a plan puts parts in their place, nothing is reconstructed.
///
/// The order in which a receiver serves messages is the best one possible, so the time is a lower bound over all
/// executors, and no plan becomes slower on a machine that is better in any figure.
///
/// For the binary swap of a power of two and one rank a host it is `binary_swap_time`, but for the root's own part of
/// the image, which equation 4 lets travel and a plan leaves in place: bytes / ranks / collect_rate.
///
/// @param bytes_per_element of the plan's object
/// @throws usage_error if a message has only one end: verify the plan first
/// @cost O(messages log(messages of a rank in a round)) time; a round of all ranks in memory
/// @cite [Alexandrov1995] (LogGP)
plan_cost cost_of(const plan::plan& what, const compositing_machine& machine, double bytes_per_element);

}  // namespace osteon::net
