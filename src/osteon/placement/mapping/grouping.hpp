#pragma once
/// @file
/// Grouping of vertices by host, socket or L3 with few bytes between groups. The header also declares bricks of a Cartesian
/// grid, and the correction of overfull parts.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

struct grouping_options {
  std::uint64_t seed = 1;
  std::optional<cartesian> grid{};      ///< grid of the graph, for bricks
  std::int64_t proposals = 40'000'000;  ///< maximum number of proposals of all searches
  bool use_scotch = true;               ///< use Scotch if installed
};

struct grouping {
  std::vector<int> part;   ///< part of each vertex
  std::int64_t cut = 0;    ///< sum of weights between parts
  std::string begun_from;  ///< start of the search: "bricks 1x2x4", "bisection", "Scotch" or "input order"
};

/// Partition the vertices into parts of bounded size with a small weight between parts (heuristic).
///
/// The initial partitions are consecutive vertices (the input order), bricks, recursive bisections, and the partition of
/// Scotch if installed. Exchanges of vertices improve the best initial partitions. Free places are represented by vertices
/// without edges. The result is never worse than the input order. The result depends on the seed, but not on the number of
/// threads.
/// @param capacity maximum number of vertices of each part
/// @throws usage_error if there are fewer places than vertices, or a capacity is negative
grouping group(const graph& g, std::span<const int> capacity, const grouping_options& options = {});

/// Assign the vertices in order. Each part is filled before the next part.
std::vector<int> in_order(int vertices, std::span<const int> capacity);

/// Groups as bricks of the grid.
struct brick_groups {
  std::vector<int> part;       ///< part of each vertex
  std::array<int, 3> brick{};  ///< blocks along z, y, x
  std::int64_t cut = 0;
  bool fits = false;         ///< true if the grid consists of complete bricks, and each brick fills a part
  std::string name() const;  ///< "bricks 4x2x1", along x, y, z as in [Ito]
};

/// Find the bricks with the smallest cut.
///
/// All brick shapes with as many blocks as the largest part are evaluated. If no brick divides the grid, or if the sizes of
/// parts differ, blocks are distributed along a boustrophedon path through the bricks.
/// @param capacity maximum number of blocks of each part; the sum of the capacities is at least the number of blocks
/// @cost O(blocks) for each brick
brick_groups best_bricks(const cartesian& grid, const graph& g, std::span<const int> capacity);

/// Move vertices from overfull parts to parts with free places. Each move has the smallest cost of all possible moves.
/// @return number of moves @cost O(moves (vertices log(parts) + edges)) at worst
int fit_capacity(const graph& g, std::span<const int> capacity, std::vector<int>& part);

}  // namespace osteon::placement
