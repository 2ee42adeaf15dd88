#pragma once
/// @file
/// Partitioning and mapping by Scotch, if available, as initial state of the search.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

/// Version of Scotch. The version is empty if Scotch is not available.
std::string scotch_version();

/// Partition a graph by Scotch with the default strategy. The partition is corrected to satisfy the capacities. The function
/// is not thread-safe, because the random state of Scotch is global.
/// @return part of each vertex; empty without Scotch, or if Scotch fails
std::optional<std::vector<int>> scotch_partition(const graph& g, std::span<const int> capacity, std::uint64_t seed);

/// Static mapping of vertices to places with given distances by Scotch, one vertex per place.
///
/// Scotch interprets the edge loads of an architecture as distances: a larger load means a larger distance. The weight in
/// [Ito] is the depth of the common ancestor in the hardware tree, which has the opposite meaning. Without conversion, this
/// weight yields the worst possible mapping (docs/reference/placement.md). The tests cover the mapping with and without
/// conversion.
/// @param distance shape (places, places), at least 1 off the diagonal
/// @return place of each vertex, at most one vertex per place; empty without Scotch, or if Scotch fails
/// @cite [Scotch]; [Ito]
std::optional<std::vector<int>> scotch_mapping(const graph& g, int places, std::span<const int> distance,
                                               std::uint64_t seed);

}  // namespace osteon::placement
