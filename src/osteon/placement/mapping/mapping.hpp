#pragma once
/// @file
/// Mapping of groups of subdomains to hosts, and of the subdomains of a host to its cores.
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

/// Cost per byte between two places on cores, shape (places, places): seconds, or any other measure of distance.
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
  std::int64_t proposals = 36'000'000;  ///< maximum over all these searches
};

/// Mapping of groups to hosts, and the network load of their exchange.
struct host_mapping {
  std::vector<int> host;  ///< of each group
  network_load load;
};

/// Map each group to a host of the size for which it was created.
///
/// Searches for a small volume (bytes times distance) from the order of the hosts, from bisections of groups and hosts, and
/// from random ones; then the best are improved to relieve the hottest links. The result has the lowest
/// `network_load::score` and is never worse than group g on host g.
/// @param groups as many vertices as hosts
/// @param capacity of each host
host_mapping map_to_hosts(const graph& groups, std::span<const int> capacity, const host_network& network,
                          const mapping_options& options = {});

}  // namespace osteon::placement
