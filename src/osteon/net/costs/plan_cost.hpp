#pragma once
/// @file
/// Cost of any plan by formulas, from the sizes of its messages: on a network, by [Itakura]'s start-up and bytes, LogGP with
/// fan-in, and the busiest link of each round; on a machine that composites, by LogGP with blending and fan-in.
#include <osteon/net/costs/compositing_machine.hpp>
#include <osteon/net/costs/simulate.hpp>
#include <osteon/plan/plan.hpp>
#include <vector>

namespace osteon::net {

/// A round on the critical path.
struct critical_round {
  int rank = 0;
  int round = 0;
  double begin = 0, end = 0;  ///< s; `begin` of a round is `end` of the previous one
  friend bool operator==(const critical_round&, const critical_round&) = default;
};

/// Cost of a plan on a network or a compositing machine.
struct plan_cost {
  std::int64_t rounds = 0, messages = 0;
  double bytes = 0;
  /// Sum over rounds of the largest message, over rounds times the mean message: at least 1 if all send in every round.
  double skew = 1;
  double busiest_bytes = 0;  ///< maximum over ranks of bytes sent or received, whichever is larger
  int busiest_rank = 0;
  /// s until the last rank is done, with clocks for each rank and no barrier. @cite [Alexandrov1995] (LogGP)
  double total = 0;

  /// On a network, two more formulas. [Itakura]'s T_all: sum over rounds of the most expensive rank's messages, one after
  /// the other, start-up + bytes / rate each, and a barrier per round, without contention.
  double startup_and_bytes = 0;
  /// The same, but with the time of the busiest link for the bytes of a round.
  double busiest_links = 0;

  /// Composition of the total along the critical path on a compositing machine: total = exchange + blend + collect.
  double exchange = 0;               ///< s of rounds with blending, without the blending itself
  double blend = 0;                  ///< s of blending that is not hidden
  double collect = 0;                ///< s of rounds without blending
  std::vector<critical_round> path;  ///< rounds 0, 1, ... and the rank on which each of them ends the latest message chain
};

/// Cost on a network. In the total, overheads and gaps of the ends, latencies of the route, and messages at the same
/// ejection one after the other; there is no contention on the route.
/// @param options overheads, combining rate and barrier time; each formula has its own rule of which rank waits for which
/// @throws usage_error as simulate
/// @cost O(messages * links of a route)
plan_cost cost_of(const network& where, const plan::plan& what, const simulate_options& options = {},
                  std::span<const int> places = {});

/// Evaluate the rounds of a plan with a clock for each rank (LogGP with blending and fan-in).
///
/// All data between two ranks in a round form one message. A rank enters a round after completing the previous one. It posts
/// its sends in order, each after `send_overhead` of its processor; they are transmitted one at a time at the network's
/// rate, and the first byte arrives `latency` later. In the round, a receiver accepts messages at the same rate, one at a
/// time in any order, each with its share of `fan_in`; its processor blends them in any order, a message at a time and
/// concurrently with further arrivals. The round ends when all messages are sent, received and blended; a sender does not
/// wait for a late receiver. The ranks of a host that communicate with other hosts in a round share `host_rate`; links of a
/// torus are not modelled. A round without blending is a collect: it has the gathering network's rate and latency, and since
/// a plan stores parts in place, no reconstruction is needed.
///
/// A receiver serves messages in the optimal order, so the time is a lower bound over all executors, and no plan is slower
/// on a machine that is better in any parameter.
///
/// For the binary swap of a power of two and one rank per host it equals `binary_swap_time`, except for the root's own part
/// of the image, which equation 4 transmits and a plan does not: bytes / ranks / collect_rate.
///
/// @param bytes_per_element of the plan's object
/// @throws usage_error if a message has only one end: verify the plan first
/// @cost O(messages log(messages of a rank in a round)) time; a round of all ranks in memory
/// @cite [Alexandrov1995] (LogGP)
plan_cost cost_of(const plan::plan& what, const compositing_machine& machine, double bytes_per_element);

}  // namespace osteon::net
