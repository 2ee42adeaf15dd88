#pragma once
/// @file
/// Broadcast in one step: crossbars copy a message to all of their outputs, as [Itakura] sends the base ranks of IS.
#include <cstdint>
#include <osteon/net/networks/network.hpp>
#include <vector>

namespace osteon::studies {

/// The links that a message from one PU to all others occupies, if switches copy it to several outputs.
struct opened_links {
  std::vector<int> links;   ///< each once, in the order of the routes
  bool tree = true;         ///< each link is on one route only, so that one message fills all of them
  int most_copies = 0;      ///< largest number of outputs for one message at a switch
  double latency = 0;       ///< s of the longest route
  double slowest_rate = 0;  ///< bytes per second of the slowest link
};

/// The union of the routes from `root` to all other PUs. @throws usage_error if root is not a PU
opened_links open_links(const net::network& where, int root);

/// Seconds of the one step: a start-up, the longest route's latency, and the bytes at the rate of the slowest link.
/// @throws usage_error if the routes of the network are not a tree, so that a link would get a message twice
double broadcast_seconds(const net::network& where, int root, std::int64_t bytes);

/// Two links that both broadcasts need. A copied message continues only when all of its links are free, so if each of
/// two broadcasts holds one of these, both wait forever. Empty if they share
/// fewer than two links.
std::vector<int> links_to_wait_for(const opened_links& one, const opened_links& other);

}  // namespace osteon::studies
