#pragma once
/// @file
/// Broadcast in one step: crossbars copy a message to all of their outputs, as [Itakura] sends the base ranks of IS.
#include <cstdint>
#include <osteon/net/networks/network.hpp>
#include <vector>

namespace osteon::studies {

/// The links that a message of one PU for all others holds, where switches copy it to several outputs.
struct opened_links {
  std::vector<int> links;   ///< each once, in the order in which ways meet them
  bool tree = true;         ///< each link is reached by one way only, so that one message fills all of them
  int most_copies = 0;      ///< outputs of a switch that takes one message
  double latency = 0;       ///< s of the longest way
  double slowest_rate = 0;  ///< bytes per second of the slowest link
};

/// The union of the ways from `root` to all other PUs. @throws usage_error if root is no PU
opened_links open_links(const net::network& where, int root);

/// Seconds of the one step: a start-up, the longest way's latency, and the bytes at the rate of the slowest link.
/// @throws usage_error if the ways of the network are no tree, so that a message would come to a link twice
double broadcast_seconds(const net::network& where, int root, std::int64_t bytes);

/// Two links that both broadcasts need. A message that is copied goes on only when all of its links are free, so if each of
/// two broadcasts holds one of these, both wait for ever. Empty: they share
/// less than two links.
std::vector<int> links_to_wait_for(const opened_links& one, const opened_links& other);

}  // namespace osteon::studies
