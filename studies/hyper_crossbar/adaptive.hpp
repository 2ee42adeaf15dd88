#pragma once
/// @file
/// Adaptive routing, which [Itakura] names as possible and leaves out: a message may correct its dimensions in any order.
#include <cstdint>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <string>
#include <vector>

namespace osteon::studies {

/// What messages of an exchange meet, under one routing.
struct routing_loads {
  int largest = 0;          ///< messages on the busiest link of any round
  double mean_largest = 0;  ///< over the rounds
  std::int64_t free_rounds = 0;
  double seconds = 0;  ///< rounds one after the other, each as long as its start-up and its busiest link
};

struct routing_comparison {
  std::int64_t rounds = 0;
  int orders = 0;  ///< of the dimensions, among which a message chooses
  routing_loads fixed, adaptive;
};

/// Route every round by the network's order of dimensions, and adaptively: message by message takes the order whose busiest
/// link has the least to carry, and chooses again until no message gains. That is what switches reach that know all
/// messages of the round: a bound for those that see their own ports.
///
/// No message waits for itself to be served: with a virtual channel for each order no messages wait in a circle, as each
/// order alone has none.
/// @param text of a network that is routed by dimension, of up to 5 dimensions above size 1; rank r is on PU r
/// @throws usage_error for another network
/// @cost O(rounds * messages * orders * links of a way), some times over
routing_comparison compare_routings(const std::string& text, const plan::plan& what);

}  // namespace osteon::studies
