#pragma once
/// @file
/// Analysis of deadlocks in the routing of a network.
///
/// A message occupies virtual channels on the first part of its route. The message waits for a virtual channel of the next
/// link. A dependency is a pair of consecutive virtual channels of a route. Without a cycle of dependencies, no deadlock is
/// possible. With a cycle, some sets of messages cause a deadlock. The condition is that switches buffer less than a message
/// (wormhole switching).
/// @cite [DallySeitz1987]
#include <cstdint>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <vector>

namespace osteon::net {

struct virtual_channel {
  int link = -1;
  int channel = 0;
  bool operator==(const virtual_channel&) const = default;
};

/// Message that occupies a channel and waits for the next channel of its route.
struct waiting {
  virtual_channel holds, for_;
  plan::parcel message;  ///< sender PU and receiver PU
};

struct deadlock_report {
  /// Number of used virtual channels between switches, and number of dependencies between these channels.
  std::int64_t channels = 0, dependencies = 0;
  /// messages of a cycle: each message waits for the next message, and the last message waits for the first message; empty:
  /// no deadlock is possible
  std::vector<waiting> circle;
  /// Number of virtual channels per link that avoids cycles. 0: with any number of channels, cycles remain.
  int sufficient = 0;
};

constexpr int most_pus_for_deadlock = 4096;

/// Virtual channels of the links of a route. The channel is the class of the link (network::append_classes), limited to the
/// last channel of the link.
std::vector<virtual_channel> virtual_channels_of(const network& net, int from, int to);

/// Find a short cycle of dependencies in the routes of all pairs of PUs. Injections and ejections are excluded. An injection
/// has no predecessor, and an ejection has no successor.
/// @throws usage_error for more than most_pus_for_deadlock PUs
/// @cost O(pus^2 links of a route)
deadlock_report find_deadlock(const network& net);

}  // namespace osteon::net
