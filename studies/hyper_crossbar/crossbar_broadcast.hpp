#pragma once
/// @file
/// Broadcast in one step, as for the base ranks of IS in [Itakura]. Crossbars copy a message to all their outputs.
#include <cstdint>
#include <osteon/net/networks/network.hpp>
#include <vector>

namespace osteon::studies {

/// The links that a message from one PU to all other PUs occupies, if switches copy the message to several outputs.
struct opened_links {
  std::vector<int> links;   ///< each link once, in the order of the routes
  bool tree = true;         ///< true if each link has only one preceding link; one message then fills all links
  int most_copies = 0;      ///< largest number of outputs of a switch for one message
  double latency = 0;       ///< latency of the longest route in s
  double slowest_rate = 0;  ///< rate of the slowest link in bytes/s
};

/// The union of the routes from `root` to all other PUs. @throws usage_error if root is not a PU
opened_links open_links(const net::network& where, int root);

/// Time of the step in s. The time is the sum of a start-up, the latency of the longest route, and the time of the bytes on
/// the slowest link.
/// @throws usage_error if the routes of the network do not form a tree, because a link would then receive a message twice
double broadcast_seconds(const net::network& where, int root, std::int64_t bytes);

/// Two links that two broadcasts use. A copied message continues only when all of its links are free. If each broadcast
/// occupies one of the two links, both broadcasts wait for ever. If the broadcasts have fewer than two common links, the
/// result is empty.
std::vector<int> links_to_wait_for(const opened_links& one, const opened_links& other);

}  // namespace osteon::studies
