#pragma once
/// @file
/// The subdomains of a host onto its cores.
#include <cstdint>
#include <osteon/machine/topology.hpp>
#include <osteon/placement/graph.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Distance of two cores in levels: 0 for a core and itself, 1 for two that share everything above a core, one more for
/// each of L3, NUMA node and package that they do not share. This is Lmax - depth + 1 of the deepest common ancestor:
/// larger is farther, as a mapper takes it, and not the depth itself.
int tree_distance(const machine::host_tree& tree, int core_a, int core_b);

/// Cost of a byte between two places on cores, shape (places, places): seconds, or any other measure of distance.
using core_costs = std::vector<float>;

/// Put each vertex on a core of its own so that the sum of weight times cost is small.
///
/// Down the tree: vertices are grouped onto packages, those of a package onto its NUMA nodes, and so on, each by the same
/// search as hosts are; then single exchanges with all costs. Never worse than vertex i on core i.
/// @param cores indices into the tree's cores, ascending; at least as many as vertices
/// @param costs between cores of the list, shape (cores, cores)
/// @return place in `cores` of each vertex
std::vector<int> map_to_cores(const graph& g, const machine::host_tree& tree, std::span<const int> cores,
                              const core_costs& costs, std::uint64_t seed);

}  // namespace osteon::placement
