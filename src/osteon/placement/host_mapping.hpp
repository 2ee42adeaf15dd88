#pragma once
/// @file
/// Groups onto hosts.
#include <cstdint>
#include <osteon/placement/graph.hpp>
#include <osteon/placement/host_network.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

struct mapping_options {
  std::uint64_t seed = 1;
  int starts = 12;                      ///< searches for a small volume
  std::int64_t proposals = 36'000'000;  ///< of all these together, at most
};

/// Groups on hosts, and the load of the network by their exchange.
struct host_mapping {
  std::vector<int> host;  ///< of each group
  network_load load;
};

/// Put each group on a host that is as large as the one it was made for.
///
/// Searches for a small volume (bytes times distance) from the order of the hosts, from bisections of groups and hosts,
/// and from random ones; then the best are changed so that the hottest links cool down. The one with the lowest
/// `network_load::score` wins; never a worse one than group g on host g.
/// @param groups as many vertices as hosts
/// @param capacity of each host
host_mapping map_to_hosts(const graph& groups, std::span<const int> capacity, const host_network& network,
                          const mapping_options& options = {});

}  // namespace osteon::placement
