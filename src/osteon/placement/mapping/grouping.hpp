#pragma once
/// @file
/// Grouping of vertices by host (or socket, or L3) with few bytes between groups; bricks of a Cartesian grid, and repair of
/// overfull parts.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

struct grouping_options {
  std::uint64_t seed = 1;
  std::optional<cartesian> grid{};      ///< the grid of the graph, if it has one: bricks are tried
  std::int64_t proposals = 40'000'000;  ///< maximum over all searches
  bool use_scotch = true;               ///< if it is installed
};

struct grouping {
  std::vector<int> part;   ///< of each vertex
  std::int64_t cut = 0;    ///< weights between parts
  std::string begun_from;  ///< "bricks 1x2x4", "bisection", "Scotch" or "input order"
};

/// Partition the vertices into parts of bounded size with minimum weight between parts (heuristic).
///
/// A portfolio: consecutive vertices (the input order), bricks, recursive bisections, Scotch if installed; the best of them
/// are improved by exchanges of vertices. Free places are vertices without edges. The result is never worse than the input
/// order, independent of the number of threads, and determined by the seed.
/// @param capacity maximum number of vertices of each part
/// @throws usage_error if there are fewer places than vertices, or a capacity is negative
grouping group(const graph& g, std::span<const int> capacity, const grouping_options& options = {});

/// Vertices assigned in their order: each part is filled before the next.
std::vector<int> in_order(int vertices, std::span<const int> capacity);

/// Groups as bricks of the grid.
struct brick_groups {
  std::vector<int> part;       ///< of each vertex
  std::array<int, 3> brick{};  ///< blocks along z, y, x
  std::int64_t cut = 0;
  bool fits = false;         ///< the grid consists of complete bricks, and each fills its part
  std::string name() const;  ///< "bricks 4x2x1", along x, y, z as [Ito] writes them
};

/// Bricks that cut the fewest bytes.
///
/// All bricks with as many blocks as the largest part are evaluated. If they do not divide the grid, or parts differ, blocks
/// are distributed along a boustrophedon row of bricks.
/// @param capacity maximum number of blocks of each part; the sum is at least that of the grid
/// @cost O(blocks) for each brick
brick_groups best_bricks(const cartesian& grid, const graph& g, std::span<const int> capacity);

/// Move vertices from overfull parts to parts with free places, each time the one with the smallest cost.
/// @return number of moves @cost O(moves (vertices log(parts) + edges)) at worst
int fit_capacity(const graph& g, std::span<const int> capacity, std::vector<int>& part);

}  // namespace osteon::placement
