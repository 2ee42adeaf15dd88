#pragma once
/// @file
/// Cost of a plan by formulas from the sizes of its messages. On a network: start-up and bytes as in [Itakura], LogGP with
/// fan-in, and the busiest link of each round. On a compositing machine: LogGP with blending and fan-in.
#include <osteon/net/costs/compositing_machine.hpp>
#include <osteon/net/costs/simulate.hpp>
#include <osteon/plan/plan.hpp>
#include <vector>

namespace osteon::net {

/// A round on the critical path.
struct critical_round {
  int rank = 0;
  int round = 0;
  double begin = 0, end = 0;  ///< s; `begin` of a round is `end` of the previous round
  friend bool operator==(const critical_round&, const critical_round&) = default;
};

/// Cost of a plan on a network or a compositing machine.
struct plan_cost {
  std::int64_t rounds = 0, messages = 0;
  double bytes = 0;
  /// Sum over rounds of the largest message, divided by rounds times the mean message; at least 1 if every rank sends in
  /// every round.
  double skew = 1;
  double busiest_bytes = 0;  ///< maximum over ranks of bytes sent or received, whichever is larger
  int busiest_rank = 0;
  /// Time in s at which the last rank finishes, with a clock for each rank and without barriers. @cite [Alexandrov1995]
  /// (LogGP)
  double total = 0;

  /// On a network, T_all of [Itakura]: sum over rounds of the most expensive rank's serial messages, each with
  /// start-up + bytes / rate, and a barrier per round, without contention.
  double startup_and_bytes = 0;
  /// As `startup_and_bytes`, but with the time of the busiest link for the bytes of a round.
  double busiest_links = 0;

  /// Composition of the total along the critical path on a compositing machine: total = exchange + blend + collect.
  double exchange = 0;               ///< s in rounds with blending, except blending
  double blend = 0;                  ///< s of blending not overlapped with communication
  double collect = 0;                ///< s in rounds without blending
  std::vector<critical_round> path;  ///< for each round, the rank on which the latest chain of messages ends
};

/// Cost on a network. The total includes overheads and gaps at both ends, latencies of the route, and serial reception at an
/// ejection; it excludes contention on the route.
/// @param options overheads, combining rate and barrier time; the waiting rules depend on the formula
/// @throws usage_error as simulate
/// @cost O(messages * links of a route)
plan_cost cost_of(const network& net, const plan::plan& plan, const simulate_options& options = {},
                  std::span<const int> places = {});

/// Evaluate the rounds of a plan with a clock for each rank (LogGP with blending and fan-in).
///
/// All data between two ranks in a round form one message. A rank enters a round after it has completed the previous round.
/// It posts its sends in order, each after the processor time `send_overhead`. The port transmits one message at a time at
/// the network rate, and the first byte arrives after `latency`. The receiver accepts one message at a time at the same
/// rate, in any order, and adds to each its share of `fan_in`. Its processor blends one message at a time, in any order and
/// concurrently with further arrivals. The round ends when all messages are sent, received and blended; a sender does not
/// wait for a late receiver. The ranks of a host that communicate with other hosts in a round share `host_rate`. Links of a
/// torus are not modelled. A round without blending is a collect with the rate and latency of the gathering network. Plans
/// store parts in place, so reconstruction time is not added.
///
/// Receivers serve messages in the optimal order. The time is therefore a lower bound over all executors, and it never
/// increases if a parameter of the machine improves.
///
/// For the binary swap of a power of two and one rank per host the time equals `binary_swap_time`, except for the root's own
/// part of the image, which equation 4 transmits and a plan does not: bytes / ranks / collect_rate.
///
/// @param bytes_per_element bytes of an element of the plan's object
/// @throws usage_error if a send or receive has no counterpart; verify the plan first
/// @cost O(messages log(messages of a rank in a round)) time; a round of all ranks in memory
/// @cite [Alexandrov1995] (LogGP)
plan_cost cost_of(const plan::plan& plan, const compositing_machine& machine, double bytes_per_element);

}  // namespace osteon::net
