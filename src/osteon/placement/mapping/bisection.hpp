#pragma once
/// @file
/// Graph partitioning by recursive bisection.
#include <cstdint>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Partition the vertices by recursive bisection into parts of limited size. The method minimises the edge cut in bytes
/// heuristically. Parts with similar numbers are close to each other in the graph.
///
/// The method is multilevel. Heavy-edge matching coarsens the graph. On the coarsest level, the method grows a half from
/// each of several start vertices. On each finer level, moves of single vertices improve the bisection (Fiduccia and
/// Mattheyses).
/// @param capacity maximum number of vertices of each part; the sum of the capacities must be at least the number of
/// vertices
/// @return part of each vertex
/// @cost O(edges log(edges) log(parts))
/// @cite [KarypisKumar1998]; [FiducciaMattheyses1982]
std::vector<int> recursive_bisection(const graph& g, std::span<const int> capacity, std::uint64_t seed);

}  // namespace osteon::placement
