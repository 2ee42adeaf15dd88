#pragma once
/// @file
/// Parts of a graph by halving it again and again.
#include <cstdint>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Split the vertices into parts of at most so many by recursive bisection, so that few bytes are cut; parts whose numbers
/// are close are close in the graph.
///
/// Each half is found on coarser and coarser graphs (heavy-edge matching), grown there from several vertices, and refined
/// on the way back by moves of one vertex (Fiduccia and Mattheyses).
/// @param capacity vertices that each part may hold; together at least the graph's
/// @return the part of each vertex
/// @cost O(edges log(edges) log(parts))
/// @cite [KarypisKumar1998]; [FiducciaMattheyses1982]
std::vector<int> recursive_bisection(const graph& g, std::span<const int> capacity, std::uint64_t seed);

}  // namespace osteon::placement
