#pragma once
/// @file
/// Graph partitioning by recursive bisection.
#include <cstdint>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Partition the vertices into parts of limited sizes by recursive bisection with a small edge cut (in bytes); parts with
/// close numbers are close in the graph.
///
/// Multilevel method: the graph is coarsened by heavy-edge matching, bisected on the coarsest level by growing a part from
/// several vertices, and refined on each finer level by moves of single vertices (Fiduccia and Mattheyses).
/// @param capacity maximum number of vertices of each part; the sum is at least the number of vertices
/// @return the part of each vertex
/// @cost O(edges log(edges) log(parts))
/// @cite [KarypisKumar1998]; [FiducciaMattheyses1982]
std::vector<int> recursive_bisection(const graph& g, std::span<const int> capacity, std::uint64_t seed);

}  // namespace osteon::placement
