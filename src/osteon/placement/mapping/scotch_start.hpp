#pragma once
/// @file
/// Partition and mapping by Scotch. If Scotch is available, the search starts from these results.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

/// Version of Scotch. If Scotch is not available, the text is empty.
std::string scotch_version();

/// Partition a graph by Scotch with the default strategy. The partition is corrected if parts exceed their capacities. The
/// function is not thread-safe, because the random state of Scotch is global.
/// @return part of each vertex; empty if Scotch is not available or fails
std::optional<std::vector<int>> scotch_partition(const graph& g, std::span<const int> capacity, std::uint64_t seed);

/// Static mapping by Scotch. Each vertex is mapped to a place of its own; the distances between places are given.
///
/// Scotch interprets the edge loads of an architecture as distances. A larger load therefore means a larger distance. The
/// weight in [Ito] is the depth of the common ancestor in the hardware tree. This weight decreases with the distance.
/// Without conversion to a distance, this weight yields the worst possible mapping (docs/reference/placement.md). The tests
/// cover the mapping with and without conversion.
/// @param distance shape (places, places), at least 1 off the diagonal
/// @return place of each vertex, at most one vertex per place; empty if Scotch is not available or fails
/// @cite [Scotch]; [Ito]
std::optional<std::vector<int>> scotch_mapping(const graph& g, int places, std::span<const int> distance,
                                               std::uint64_t seed);

}  // namespace osteon::placement
