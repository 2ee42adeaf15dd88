#pragma once
/// @file
/// Graph partitioning by recursive bisection.
#include <cstdint>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Partition the vertices into parts of limited size by recursive bisection with a small edge cut (in bytes). Parts with
/// similar numbers are close in the graph.
///
/// Multilevel method: heavy-edge matching coarsens the graph, growing a part from several start vertices bisects the
/// coarsest level, and moves of single vertices refine each finer level (Fiduccia and Mattheyses).
/// @param capacity maximum number of vertices of each part; the sum is at least the number of vertices
/// @return the part of each vertex
/// @cost O(edges log(edges) log(parts))
/// @cite [KarypisKumar1998]; [FiducciaMattheyses1982]
std::vector<int> recursive_bisection(const graph& g, std::span<const int> capacity, std::uint64_t seed);

}  // namespace osteon::placement
