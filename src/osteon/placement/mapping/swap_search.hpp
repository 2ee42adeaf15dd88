#pragma once
/// @file
/// Improvement of placements by exchanges of vertices. Exchanges preserve the sizes of parts.
#include <cstdint>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Cost of sending a byte between two parts. Without a table, the cost is 1 between different parts and 0 inside a part.
struct part_costs {
  const float* of = nullptr;  ///< symmetric table, shape (parts, parts); borrowed
  int parts = 0;

  double between(int a, int b) const {
    if (!of) return a != b ? 1 : 0;
    return of[static_cast<std::size_t>(a) * static_cast<std::size_t>(parts) + static_cast<std::size_t>(b)];
  }
};

/// Sum over edges of weight times cost. The cost is the cost between the parts of the two vertices.
double cost_of(const graph& g, std::span<const int> part, const part_costs& costs);

/// Parameters of the search.
struct search_effort {
  std::uint64_t seed = 1;
  std::int64_t proposals = 0;  ///< maximum number of proposals
  double hot = 0.5;            ///< initial temperature as a multiple of the mean cost of an edge; 0: descent only
  double cold = 0.03;          ///< final temperature as a multiple of the mean cost of an edge
};

/// Exchange vertices between parts until the search converges. Descent follows simulated annealing. Each exchange moves a
/// vertex to the part of one of its neighbours. Vertices without edges represent free places. A part may therefore lose
/// vertices, but never exceeds its capacity.
/// @param capacity number of places of each part; the sum of the capacities must be at least the number of vertices
/// @param part part of each vertex; replaced by the result, which never costs more than the input
/// @param kind if not empty, only vertices of equal kind are exchanged, and free places remain free
/// @return cost of the resulting placement
/// @cost O(degree) per proposal
double swap_search(const graph& g, std::span<const int> capacity, std::vector<int>& part, const part_costs& costs,
                   const search_effort& effort, std::span<const int> kind = {});

}  // namespace osteon::placement
