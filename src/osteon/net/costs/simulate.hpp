#pragma once
/// @file
/// Flow simulation of a plan. Concurrent messages on a link have max-min fair rates.
#include <limits>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <vector>

namespace osteon::net {

/// Costs at the ends of messages, and synchronisation of ranks. All times are in s.
struct simulate_options {
  /// Processor time of the sender per message. A negative value means the start-up time of the network.
  double send_overhead = -1;
  double receive_overhead = 0;  ///< processor time of the receiver per message
  double arrival_overhead = 0;  ///< additional processor time of the receiver per message after the first message of a round
  double match_time = 0;        ///< additional processor time of the receiver per earlier message of the same round
  /// rate in bytes/s at which a processor sums or blends data
  double combine_rate = std::numeric_limits<double>::infinity();
  /// True: a PU sends one message at a time. False: concurrent messages divide the rate of the injection link of the PU.
  bool serial_sends = true;
  bool barrier = false;                    ///< all ranks enter a round at the same time
  double barrier_time = 0;                 ///< time of a barrier
  bool rendezvous = false;                 ///< a message starts only after its receiver has entered the round
  double background = 0;                   ///< fraction of the rate of each link that background traffic uses, in [0, 1)
  std::vector<plan::parcel> streams = {};  ///< pairs of PUs with permanent background traffic
};

struct simulation {
  double total = 0;                ///< time in s at which the last rank finishes
  std::vector<double> round_end;   ///< time in s at which the last rank leaves each round
  std::vector<double> rank_end;    ///< time in s at which each rank finishes
  std::vector<double> link_bytes;  ///< number of bytes that the plan sends over each link
  std::int64_t messages = 0;
  std::int64_t solutions = 0;  ///< number of times that rates were computed
};

/// Simulate a plan. `plan::transfers` combines the messages of the plan.
///
/// A rank that enters a round posts its sends in order. Each send takes the processor time `send_overhead`. Each message is
/// transmitted at its max-min fair rate. The message arrives after the transmission time and the latencies of its route. The
/// receiver processes one message at a time in the order of arrival. The processing time consists of overheads and
/// combining. The round of a rank ends when the rank has sent and received all messages of the round. A sender does not wait
/// for a late receiver. All ranks on one PU use the same ports of the PU. Messages between ranks on one PU use no port.
///
/// @param places PU of each rank; empty: rank r is on PU r
/// @throws usage_error if there are more ranks than PUs, if an option is out of range, or if a send or receive has no
/// counterpart
/// @cost O(events log(events)), in addition to the cost of fair_sharing for each change of the flows; memory O(links +
/// messages in flight)
simulation simulate(const network& net, const plan::plan& plan, const simulate_options& options = {},
                    std::span<const int> places = {});

}  // namespace osteon::net
