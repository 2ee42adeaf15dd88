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

/// Distance between two cores in levels of the tree. The distance between equal cores is 0. Otherwise, the distance is 1
/// plus the number of levels (L3, NUMA node, package) that the two cores do not have in common. In other words, the distance
/// is Lmax - depth + 1. Here, depth is the depth of the deepest common ancestor. The depth itself is not a distance, because
/// mappers require larger values for more distant cores.
int tree_distance(const machine::host_tree& tree, int core_a, int core_b);

/// Cost per byte between two places on cores, in seconds or in another unit. The table has shape (places, places).
using core_costs = std::vector<float>;

/// Assign each vertex to a core of its own. The method minimises the sum over edges of weight times cost heuristically.
///
/// The method applies the grouping search for hosts inside a host. Vertices are grouped by package, then by NUMA node, then
/// by L3. Exchanges of vertices then reduce the cost over all pairs. The resulting cost is never larger than the cost of the
/// mapping from vertex i to core i.
/// @param cores indices of cores in the tree, in ascending order; at least as many cores as vertices
/// @param costs costs between the cores of the list, shape (cores, cores)
/// @return place of each vertex, as an index into `cores`
std::vector<int> map_to_cores(const graph& g, const machine::host_tree& tree, std::span<const int> cores,
                              const core_costs& costs, std::uint64_t seed);

struct mapping_options {
  std::uint64_t seed = 1;
  int starts = 12;                      ///< number of searches for a mapping with small volume
  std::int64_t proposals = 36'000'000;  ///< maximum number of proposals of all searches
};

/// Mapping of groups to hosts, and the network load of the exchange between groups.
struct host_mapping {
  std::vector<int> host;  ///< host of each group
  network_load load;
};

/// Map each group to a host. The capacity of the host must equal the capacity for which the group was created.
///
/// The searches minimise the volume (bytes times distance). The searches start from the order of the hosts, from bisections
/// of groups and hosts, and from random mappings. In the best mappings, the load of the busiest links is then reduced. The
/// result is the mapping with the lowest `network_load::score`. The resulting score is never worse than the score of the
/// mapping from group g to host g.
/// @param groups graph with as many vertices as hosts
/// @param capacity number of places of each host
host_mapping map_to_hosts(const graph& groups, std::span<const int> capacity, const host_network& network,
                          const mapping_options& options = {});

}  // namespace osteon::placement
