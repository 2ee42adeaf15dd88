#pragma once
/// @file
/// Adaptive routing. A message may traverse the dimensions in any order. [Itakura] mentions this routing without an
/// evaluation.
#include <cstdint>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <string>
#include <vector>

namespace osteon::studies {

/// Contention of the messages of an exchange with one routing.
struct routing_loads {
  int largest = 0;          ///< number of messages on the busiest link, maximum over the rounds
  double mean_largest = 0;  ///< number of messages on the busiest link, mean over the rounds
  std::int64_t free_rounds = 0;
  /// time of all rounds in sequence in s; the time of a round consists of its start-up and the time of its busiest link
  double seconds = 0;
};

struct routing_comparison {
  std::int64_t rounds = 0;
  int orders = 0;  ///< number of orders of the dimensions from which a message can select
  routing_loads fixed, adaptive;
};

/// Route every round in the network's order of dimensions, and adaptively. Adaptive messages select their order of
/// dimensions one after another. A message selects the order with the lowest load of the busiest link, until no message can
/// improve its route. This selection needs knowledge of all messages of the round. The result is therefore a bound for
/// switches that know only their own ports.
///
/// Adaptive routing causes no deadlock. With a virtual channel for each order of dimensions, messages do not wait in a
/// cycle, because each order has no cycle.
/// @param text network with routing by dimensions, and with at most 5 dimensions of a size above 1; rank r is on PU r
/// @throws usage_error for any other network
/// @cost a few times O(rounds * messages * orders * links of a route)
routing_comparison compare_routings(const std::string& text, const plan::plan& plan);

}  // namespace osteon::studies
