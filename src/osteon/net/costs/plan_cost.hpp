#pragma once
/// @file
/// Cost of a plan by formulas from the sizes of its messages. On a network, the formulas are start-up and bytes as in
/// [Itakura], LogGP with fan-in, and the busiest link of each round. On a compositing machine, the formula is LogGP with
/// blending and fan-in.
#include <osteon/net/costs/compositing_machine.hpp>
#include <osteon/net/costs/simulate.hpp>
#include <osteon/plan/plan.hpp>
#include <vector>

namespace osteon::net {

/// A round on the critical path.
struct critical_round {
  int rank = 0;
  int round = 0;
  double begin = 0, end = 0;  ///< times in s; `begin` of a round equals `end` of the previous round
  friend bool operator==(const critical_round&, const critical_round&) = default;
};

/// Cost of a plan on a network or a compositing machine.
struct plan_cost {
  std::int64_t rounds = 0, messages = 0;
  double bytes = 0;
  /// Sum over rounds of the size of the largest message, divided by the number of rounds times the mean size of a message.
  /// The ratio is at least 1 if every rank sends in every round.
  double skew = 1;
  double busiest_bytes = 0;  ///< maximum over ranks of bytes sent or received, whichever is larger
  int busiest_rank = 0;
  /// Time in s at which the last rank finishes. Each rank has its own clock, and there are no barriers. @cite
  /// [Alexandrov1995] (LogGP)
  double total = 0;

  /// T_all of [Itakura] on a network: sum over rounds of the time of the slowest rank, plus a barrier per round. A rank
  /// sends its messages one after another; each message requires start-up + bytes / rate. Contention is not included.
  double startup_and_bytes = 0;
  /// As `startup_and_bytes`, but the time for the bytes of a round is the busy time of the busiest link.
  double busiest_links = 0;

  /// Composition of the total time along the critical path on a compositing machine: total = exchange + blend + collect.
  double exchange = 0;               ///< time in s of rounds with blending, without the blending itself
  double blend = 0;                  ///< time in s of blending that does not overlap with communication
  double collect = 0;                ///< time in s of rounds without blending
  std::vector<critical_round> path;  ///< for each round, the rank on which the latest chain of messages ends
};

/// Cost on a network. The total includes overheads and gaps at sender and receiver, latencies of the route, and serial
/// reception at an ejection link. The total excludes contention on the route.
/// @param options overheads, combining rate and barrier time; the waiting rules depend on the formula
/// @throws usage_error as simulate
/// @cost O(messages * links of a route)
plan_cost cost_of(const network& net, const plan::plan& plan, const simulate_options& options = {},
                  std::span<const int> places = {});

/// Evaluate the rounds of a plan with a clock for each rank (LogGP with blending and fan-in).
///
/// All data between two ranks in a round form one message. A rank enters a round after it has completed the previous round.
/// The rank posts its sends in order, each after the processor time `send_overhead`. The port of the rank transmits one
/// message at a time at the network rate, and the first byte arrives after `latency`. The receiver accepts one message at a
/// time at the same rate, in any order. The time of `fan_in` is distributed over the received messages. The processor of the
/// receiver blends one message at a time, in any order and concurrently with further arrivals. The round of a rank ends when
/// all its messages are sent, received and blended. A sender does not wait for a late receiver. The ranks of a host that
/// communicate with other hosts in a round share `host_rate`. Links of a torus are not modelled. A round without blending is
/// a collect with the rate and latency of the gathering network. Plans store parts in place. Therefore reconstruction time
/// is not added.
///
/// Receivers serve messages in the optimal order. Therefore the time is a lower bound over all executors. The time never
/// increases if a parameter of the machine improves.
///
/// For a binary swap with a power of two of ranks and one rank per host, the time equals `binary_swap_time` minus bytes /
/// ranks / collect_rate. This difference is the transmission of the root's own part of the image, which equation 4 includes
/// and a plan does not include.
///
/// @param bytes_per_element bytes of an element of the plan's object
/// @throws usage_error if a send or receive has no counterpart; verify the plan first
/// @cost O(messages log(messages of a rank in a round)) time; memory for one round of all ranks
/// @cite [Alexandrov1995] (LogGP)
plan_cost cost_of(const plan::plan& plan, const compositing_machine& machine, double bytes_per_element);

}  // namespace osteon::net
