#pragma once
/// @file
/// The cost of any plan on a network by formulas, from the sizes of its messages: [Itakura]'s start-up and bytes, LogGP with
/// fan-in, and the busiest link of each round.
#include <osteon/net/costs/simulate.hpp>

namespace osteon::net {

struct exchange_cost {
  std::int64_t messages = 0, rounds = 0;
  double bytes = 0;
  /// Sum over rounds of the most expensive rank's messages, one after the other, start-up + bytes / rate each, and a barrier
  /// a round. No message meets another. @cite [Itakura]: T_all
  double startup_and_bytes = 0;
  /// Sum over rounds of the largest message, over rounds times the mean message: at least 1 if all send in every round.
  double skew = 1;
  /// Clocks for each rank and no barrier: overheads and gaps of the ends, latencies of the way, messages that meet at an
  /// ejection one after the other. No message meets another on the way. @cite [Alexandrov1995] (LogGP)
  double log_gp = 0;
  /// As startup_and_bytes, but a round's bytes take as long as the link that has most of them.
  double busiest_links = 0;
};

/// @param options overheads, combining rate and barrier time; each formula has its own rule of which rank waits for which
/// @throws usage_error as simulate
/// @cost O(messages * links of a way)
exchange_cost cost_of(const network& where, const plan::plan& what, const simulate_options& options = {},
                      std::span<const int> places = {});

}  // namespace osteon::net
