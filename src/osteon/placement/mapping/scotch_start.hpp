#pragma once
/// @file
/// Scotch, where it is installed: one more beginning for the search.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

/// Version of Scotch, or empty without it.
std::string scotch_version();

/// Scotch's partition with its default strategy, made to fit the capacities. Not to be called by several threads at once:
/// Scotch keeps its random state in a global.
/// @return nothing without Scotch, or if it fails
std::optional<std::vector<int>> scotch_partition(const graph& g, std::span<const int> capacity, std::uint64_t seed);

/// Scotch's static mapping of vertices onto places with distances between them, a vertex each.
///
/// Scotch reads the loads of an architecture's edges as distances: larger is farther. [Ito]'s weight, the depth of the
/// common ancestor in the hardware tree, is the opposite, and given as it is yields the worst map there is
/// (docs/reference/placement.md); the tests hold both.
/// @param distance shape (places, places), at least 1 off the diagonal
/// @return the place of each vertex, made one to one; nothing without Scotch, or if it fails
/// @cite [Scotch]; [Ito]
std::optional<std::vector<int>> scotch_mapping(const graph& g, int places, std::span<const int> distance,
                                               std::uint64_t seed);

}  // namespace osteon::placement
