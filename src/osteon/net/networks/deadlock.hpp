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

/// A message that holds a channel and waits for the next one of its way.
struct waiting {
  virtual_channel holds, for_;
  plan::parcel message;  ///< from PU to PU
};

struct deadlock_report {
  std::int64_t channels = 0, dependencies = 0;  ///< between switches, used by any way
  std::vector<waiting> circle;  ///< each waits for the next one, the last for the first; empty: free of deadlock
  int sufficient = 0;  ///< virtual channels a link with which there is no circle, at least those there are; 0: no number is
};

constexpr int most_pus_for_deadlock = 4096;

/// Virtual channels of the links of a way: its class on each link, as network::append_classes has it, or the last channel
/// where the link has fewer.
std::vector<virtual_channel> virtual_channels_of(const network& where, int from, int to);

/// Find a shortest cycle of dependencies of the routes of all pairs of PUs. Injections and ejections are excluded: they have
/// no predecessor or successor.
/// @throws usage_error for more than most_pus_for_deadlock PUs
/// @cost O(pus^2 links of a route)
deadlock_report find_deadlock(const network& where);

}  // namespace osteon::net
