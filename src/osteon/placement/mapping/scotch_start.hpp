#pragma once
/// @file
/// Scotch, if available, as an additional starting point of the search.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

/// Version of Scotch, or empty if it is not available.
std::string scotch_version();

/// Partition by Scotch with its default strategy, corrected to satisfy the capacities. Not thread-safe: the random state of
/// Scotch is global.
/// @return the part of each vertex; none without Scotch, or if it fails
std::optional<std::vector<int>> scotch_partition(const graph& g, std::span<const int> capacity, std::uint64_t seed);

/// Static mapping by Scotch of vertices onto places with mutual distances, one vertex per place.
///
/// Scotch interprets the edge loads of an architecture as distances: larger is farther. The weight of [Ito], the depth of
/// the common ancestor in the hardware tree, has the opposite meaning and, without conversion, yields the worst possible map
/// (docs/reference/placement.md); the tests cover both.
/// @param distance shape (places, places), at least 1 off the diagonal
/// @return the place of each vertex, made one to one; none without Scotch, or if it fails
/// @cite [Scotch]; [Ito]
std::optional<std::vector<int>> scotch_mapping(const graph& g, int places, std::span<const int> distance,
                                               std::uint64_t seed);

}  // namespace osteon::placement
