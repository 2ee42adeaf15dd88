#pragma once
/// @file
/// Deadlock analysis of the routing of a network.
///
/// A message occupies virtual channels of the links behind it and waits for one ahead. A dependency is a pair of consecutive
/// virtual channels of a route. Without a cycle of dependencies deadlock is impossible for any messages; with one, some
/// messages deadlock if switches buffer less than a message (wormhole switching).
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

/// Message that holds a channel and waits for the next one of its route.
struct waiting {
  virtual_channel holds, for_;
  plan::parcel message;  ///< from PU to PU
};

struct deadlock_report {
  std::int64_t channels = 0, dependencies = 0;  ///< between switches, used by any route
  std::vector<waiting> circle;  ///< each waits for the next one, the last for the first; empty: free of deadlock
  int sufficient = 0;  ///< virtual channels per link without a cycle, at least the present ones; 0: no number suffices
};

constexpr int most_pus_for_deadlock = 4096;

/// Virtual channels of the links of a route: the class of each link by network::append_classes, or the last channel if the
/// link has fewer.
std::vector<virtual_channel> virtual_channels_of(const network& where, int from, int to);

/// Find a shortest cycle of dependencies of the routes of all pairs of PUs. Injections and ejections are excluded: they have
/// no predecessor or successor.
/// @throws usage_error for more than most_pus_for_deadlock PUs
/// @cost O(pus^2 links of a route)
deadlock_report find_deadlock(const network& where);

}  // namespace osteon::net
