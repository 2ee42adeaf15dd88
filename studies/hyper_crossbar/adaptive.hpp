#pragma once
/// @file
/// Adaptive routing: a message may traverse the dimensions in any order. [Itakura] mentions this routing without evaluation.
#include <cstdint>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <string>
#include <vector>

namespace osteon::studies {

/// Contention of the messages of an exchange, with one routing.
struct routing_loads {
  int largest = 0;          ///< number of messages on the busiest link of any round
  double mean_largest = 0;  ///< number of messages on the busiest link of a round, mean over the rounds
  std::int64_t free_rounds = 0;
  double seconds = 0;  ///< time of all rounds in sequence, each with its start-up and the time of its busiest link
};

struct routing_comparison {
  std::int64_t rounds = 0;
  int orders = 0;  ///< number of orders of the dimensions that a message can select
  routing_loads fixed, adaptive;
};

/// Route every round by the order of dimensions of the network, and adaptively. Adaptive messages select, one after another,
/// the order of dimensions with the lowest load of the busiest link, until no message gains. This selection requires
/// knowledge of all messages of the round. Therefore the result is a bound for switches with knowledge of only their own
/// ports.
///
/// No deadlock occurs. With a virtual channel for each order of dimensions, no messages wait in a cycle, because each order
/// alone has no cycle.
/// @param text network with routing by dimension, with up to 5 dimensions above size 1; rank r is on PU r
/// @throws usage_error for another network
/// @cost O(rounds * messages * orders * links of a route), a few times
routing_comparison compare_routings(const std::string& text, const plan::plan& plan);

}  // namespace osteon::studies
