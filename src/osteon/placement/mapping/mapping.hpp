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

/// Distance of two cores in levels. The distance is 0 for equal cores; otherwise it is 1 plus the number of levels (L3, NUMA
/// node, package) that the cores do not share. The distance is Lmax - depth + 1, where depth is the depth of the deepest
/// common ancestor. The depth itself is not a distance, because mappers require larger values for farther cores.
int tree_distance(const machine::host_tree& tree, int core_a, int core_b);

/// Cost per byte between two places on cores, in seconds or another measure of distance. The table has shape (places,
/// places).
using core_costs = std::vector<float>;

/// Assign each vertex to a separate core. The sum over edges of weight times cost is small.
///
/// The grouping search for hosts is also used inside a host. Vertices are grouped by package, then by NUMA node, then by L3.
/// Then exchanges of vertices reduce the cost over all pairs. The result is never worse than vertex i on core i.
/// @param cores indices into the tree's cores, ascending; at least as many as vertices
/// @param costs between cores of the list, shape (cores, cores)
/// @return place in `cores` of each vertex
std::vector<int> map_to_cores(const graph& g, const machine::host_tree& tree, std::span<const int> cores,
                              const core_costs& costs, std::uint64_t seed);

struct mapping_options {
  std::uint64_t seed = 1;
  int starts = 12;                      ///< number of searches for a small volume
  std::int64_t proposals = 36'000'000;  ///< maximum number of proposals of all searches
};

/// Mapping of groups to hosts, and the network load of the exchange between groups.
struct host_mapping {
  std::vector<int> host;  ///< host of each group
  network_load load;
};

/// Map each group to a host. The capacity of the host must be the capacity for which the group was created.
///
/// Searches for a small volume (bytes times distance) start from the order of the hosts, from bisections of groups and
/// hosts, and from random mappings. Then the load of the hottest links is reduced in the best mappings. The result is the
/// mapping with the lowest `network_load::score`. The result is never worse than group g on host g.
/// @param groups as many vertices as hosts
/// @param capacity number of places of each host
host_mapping map_to_hosts(const graph& groups, std::span<const int> capacity, const host_network& network,
                          const mapping_options& options = {});

}  // namespace osteon::placement
