#pragma once
/// @file
/// Flow simulation of a plan: concurrent messages share links with max-min fairness.
#include <limits>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <vector>

namespace osteon::net {

/// Costs at the ends of messages, and synchronisation of ranks. All times in s. Each can be disabled.
struct simulate_options {
  double send_overhead = -1;    ///< of the sender's processor, per message; below 0: the network's start-up
  double receive_overhead = 0;  ///< of the receiver's processor, per message
  double arrival_overhead = 0;  ///< additional, per message after another one of the same round
  double match_time = 0;        ///< additional, per earlier message of the same round
  double combine_rate = std::numeric_limits<double>::infinity();  ///< bytes per second that a processor sums or blends
  bool serial_sends = true;  ///< the messages of a PU leave one after the other; otherwise they share its injection
  bool barrier = false;      ///< all ranks enter a round together
  double barrier_time = 0;   ///< of a barrier
  bool rendezvous = false;   ///< a message leaves once its receiver has entered the round
  double background = 0;     ///< unavailable fraction of the rate of each link, in [0, 1)
  std::vector<plan::parcel> streams = {};  ///< pairs of PUs with permanent background traffic
};

struct simulation {
  double total = 0;                ///< s until the last rank is done
  std::vector<double> round_end;   ///< s: when the last rank left each round
  std::vector<double> rank_end;    ///< s
  std::vector<double> link_bytes;  ///< of the plan, by link
  std::int64_t messages = 0;
  std::int64_t solutions = 0;  ///< number of computations of rates
};

/// Simulate the whole plan, with messages combined by plan::transfers.
///
/// A rank that enters a round posts its sends in order, each after `send_overhead` of its processor. A message then flows at
/// its allocated rate, and arrives after its transmission and the latencies of its route. The receiver processes it in the
/// round, with its overheads and combining, one message at a time in the order of arrival. The round of a rank ends when its
/// messages are sent and received; a sender does not wait for a late receiver. Ranks on one PU share its ports, and messages
/// between them use none.
///
/// @param places PU of each rank; empty: rank r is on PU r
/// @throws usage_error if ranks do not fit, an option is out of its range, or a message has only one end
/// @cost events log(events), and the cost of fair_sharing for each change of the flows; memory O(links + messages under way)
simulation simulate(const network& where, const plan::plan& what, const simulate_options& options = {},
                    std::span<const int> places = {});

}  // namespace osteon::net
