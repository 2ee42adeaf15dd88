#pragma once
/// @file
/// Adaptive routing: a message may traverse the dimensions in any order. [Itakura] mentions this routing without evaluation.
#include <cstdint>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <string>
#include <vector>

namespace osteon::studies {

/// Contention of the messages of an exchange, under one routing.
struct routing_loads {
  int largest = 0;          ///< messages on the busiest link of any round
  double mean_largest = 0;  ///< over the rounds
  std::int64_t free_rounds = 0;
  double seconds = 0;  ///< rounds in sequence, each with its start-up and the time of its busiest link
};

struct routing_comparison {
  std::int64_t rounds = 0;
  int orders = 0;  ///< orders of the dimensions that a message can select
  routing_loads fixed, adaptive;
};

/// Route every round by the network's order of dimensions, and adaptively. Adaptive messages select in turn the order whose
/// busiest link has the least load, until no message gains. This requires knowledge of all messages of the round, and is
/// therefore a bound for switches that know only their own ports.
///
/// No deadlock occurs: with a virtual channel for each order no messages wait in a cycle, because each order alone has no
/// cycle.
/// @param text network with routing by dimension, with up to 5 dimensions above size 1; rank r is on PU r
/// @throws usage_error for another network
/// @cost O(rounds * messages * orders * links of a route), a few times
routing_comparison compare_routings(const std::string& text, const plan::plan& plan);

}  // namespace osteon::studies
