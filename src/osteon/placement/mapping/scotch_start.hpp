#pragma once
/// @file
/// Partitioning and mapping by Scotch, if available, as start of the search.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

/// Version of Scotch, or empty if it is not available.
std::string scotch_version();

/// Partition a graph by Scotch with the default strategy, corrected to satisfy the capacities. Not thread-safe, because the
/// random state of Scotch is global.
/// @return part of each vertex; empty without Scotch, or if Scotch fails
std::optional<std::vector<int>> scotch_partition(const graph& g, std::span<const int> capacity, std::uint64_t seed);

/// Static mapping of vertices to places with given distances by Scotch, one vertex per place.
///
/// Scotch interprets the edge loads of an architecture as distances: a larger load is farther. The weight in [Ito], the
/// depth of the common ancestor in the hardware tree, has the opposite meaning. Without conversion it yields the worst
/// possible mapping (docs/reference/placement.md); the tests cover both variants.
/// @param distance shape (places, places), at least 1 off the diagonal
/// @return place of each vertex, at most one vertex per place; empty without Scotch, or if Scotch fails
/// @cite [Scotch]; [Ito]
std::optional<std::vector<int>> scotch_mapping(const graph& g, int places, std::span<const int> distance,
                                               std::uint64_t seed);

}  // namespace osteon::placement
