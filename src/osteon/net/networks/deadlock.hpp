#pragma once
/// @file
/// Messages that wait for each other in a circle: can the routing of a network come to a standstill?
///
/// A message holds virtual channels of the links behind it and waits for one ahead. A dependency is a pair of virtual
/// channels that some way takes one after the other. Without a circle of dependencies no standstill is possible, whatever is
/// sent; with one there are messages that reach it where switches buffer less than a message (wormhole switching).
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
  std::vector<waiting> circle;  ///< each waits for what the next one holds, the last for the first; empty: free
  int sufficient = 0;  ///< virtual channels a link with which there is no circle, at least those there are; 0: no number is
};

constexpr int most_pus_for_deadlock = 4096;

/// Virtual channels of the links of a way: its class on each link, as network::append_classes has it, or the last channel
/// where the link has fewer.
std::vector<virtual_channel> virtual_channels_of(const network& where, int from, int to);

/// Look for a circle among the ways of all pairs of PUs; of those that are found, a shortest one. Injections and ejections
/// are left out: nothing comes before the one or after the other.
/// @throws usage_error for more than most_pus_for_deadlock PUs
/// @cost O(pus^2 links of a way)
deadlock_report find_deadlock(const network& where);

}  // namespace osteon::net
