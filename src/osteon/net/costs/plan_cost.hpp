#pragma once
/// @file
/// Cost of a plan by formulas. The formulas use the sizes of the messages. For a network, the formulas are start-up and
/// bytes as in [Itakura], LogGP with fan-in, and the busiest link of each round. For a compositing machine, the formula is
/// LogGP with blending and fan-in.
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
  /// Ratio of a sum over rounds to a mean. The sum contains the size of the largest message of each round. The mean is the
  /// mean size of a message times the number of rounds. If every rank sends in every round, the ratio is at least 1.
  double skew = 1;
  double busiest_bytes = 0;  ///< maximum over ranks of the larger of sent and received bytes
  int busiest_rank = 0;
  /// Time in s at which the last rank finishes the plan. Each rank has its own clock. The formula has no barriers. @cite
  /// [Alexandrov1995] (LogGP)
  double total = 0;

  /// T_all of [Itakura] on a network. The value is a sum over rounds of the time of the slowest rank and of a barrier. A
  /// rank sends its messages one after another. Each message requires the time start-up + bytes / rate. The value does not
  /// include contention.
  double startup_and_bytes = 0;
  /// Value like `startup_and_bytes` with another time for the bytes of a round. This time is the busy time of the busiest
  /// link.
  double busiest_links = 0;

  /// Components of the total time along the critical path on a compositing machine. total = exchange + blend + collect.
  double exchange = 0;               ///< time in s of rounds with blending; the time of the blending is excluded
  double blend = 0;                  ///< time in s of blending that does not overlap with communication
  double collect = 0;                ///< time in s of rounds without blending
  std::vector<critical_round> path;  ///< for each round, the rank at the end of the latest chain of messages
};

/// Cost on a network. The total includes overheads and gaps at sender and receiver, latencies of the route, and serial
/// reception at an ejection link. The total excludes contention on the route.
/// @param options overheads, combining rate and barrier time; each formula defines its own rules of waiting
/// @throws usage_error in the cases of simulate
/// @cost O(messages * links of a route)
plan_cost cost_of(const network& net, const plan::plan& plan, const simulate_options& options = {},
                  std::span<const int> places = {});

/// Evaluate the rounds of a plan with a clock for each rank (LogGP with blending and fan-in).
///
/// All data between two ranks in a round form one message. A rank enters a round after it has completed the previous round.
/// The rank posts its sends in order. Each send takes the processor time `send_overhead`. The port of the rank transmits one
/// message at a time at the network rate. The first byte arrives after `latency`. The receiver accepts one message at a time
/// at the same rate, in any order. The time of `fan_in` is distributed over the received messages. The processor of the
/// receiver blends one message at a time in any order. Further messages can arrive during a blend. The round of a rank ends
/// when the rank has sent, received and blended all messages of the round. A sender does not wait for a late receiver. If
/// several ranks of a host communicate with other hosts in a round, these ranks divide `host_rate`. Links of a torus are not
/// modelled. A round without blending is a collect with the rate and latency of the gathering network. Plans store parts at
/// their final place. Reconstruction time is therefore not added.
///
/// Receivers process messages in the optimal order. The time is therefore a lower bound over all executors. The time never
/// increases if a parameter of the machine improves.
///
/// For a binary swap with a power of two of ranks and one rank per host, this time is less than `binary_swap_time`. The
/// difference is bytes / ranks / collect_rate. The difference is the transmission of the root's own part of the image.
/// Equation 4 includes this transmission, but a plan does not contain this message.
///
/// @param bytes_per_element size in bytes of an element of the plan's object
/// @throws usage_error if a send or receive has no counterpart. Verify the plan first.
/// @cost O(messages log(messages of a rank in a round)) time; memory for one round of all ranks
/// @cite [Alexandrov1995] (LogGP)
plan_cost cost_of(const plan::plan& plan, const compositing_machine& machine, double bytes_per_element);

}  // namespace osteon::net
