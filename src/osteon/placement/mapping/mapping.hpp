#pragma once
/// @file
/// Groups of subdomains onto hosts, and the subdomains of a host onto its cores.
#include <cstdint>
#include <osteon/machine/topology/topology.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <osteon/placement/hosts/host_network.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Distance of two cores in levels: 0 for a core and itself, 1 for two that share everything above a core, one more for each
/// of L3, NUMA node and package that they do not share. This is Lmax - depth + 1 of the deepest common ancestor: larger is
/// farther, as mappers expect, and not the depth itself.
int tree_distance(const machine::host_tree& tree, int core_a, int core_b);

/// Cost of a byte between two places on cores, shape (places, places): seconds, or any other measure of distance.
using core_costs = std::vector<float>;

/// Assign each vertex to a separate core with a small sum of weight times cost.
///
/// Top down: vertices are grouped onto packages, those of a package onto its NUMA nodes, and so on, each by the same search
/// as for hosts; then single exchanges with all costs. Never worse than vertex i on core i.
/// @param cores indices into the tree's cores, ascending; at least as many as vertices
/// @param costs between cores of the list, shape (cores, cores)
/// @return place in `cores` of each vertex
std::vector<int> map_to_cores(const graph& g, const machine::host_tree& tree, std::span<const int> cores,
                              const core_costs& costs, std::uint64_t seed);

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
