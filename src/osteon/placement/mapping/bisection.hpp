#pragma once
/// @file
/// Graph partitioning by recursive bisection.
#include <cstdint>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Partition the vertices into parts of limited size by recursive bisection. The edge cut (in bytes) is small. Parts with
/// similar numbers are close in the graph.
///
/// The method is multilevel. Heavy-edge matching coarsens the graph. On the coarsest level, a half is grown from several
/// start vertices. On each finer level, moves of single vertices refine the bisection (Fiduccia and Mattheyses).
/// @param capacity maximum number of vertices of each part; the sum of the capacities is at least the number of vertices
/// @return the part of each vertex
/// @cost O(edges log(edges) log(parts))
/// @cite [KarypisKumar1998]; [FiducciaMattheyses1982]
std::vector<int> recursive_bisection(const graph& g, std::span<const int> capacity, std::uint64_t seed);

}  // namespace osteon::placement
