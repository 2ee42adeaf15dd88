#pragma once
/// @file
/// Grouping of vertices by host, socket or L3. The number of bytes between groups is small. The header also contains bricks
/// of a Cartesian grid, and the correction of parts that exceed their capacity.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

struct grouping_options {
  std::uint64_t seed = 1;
  std::optional<cartesian> grid{};      ///< grid of the graph; used for bricks
  std::int64_t proposals = 40'000'000;  ///< maximum number of proposals of all searches
  bool use_scotch = true;               ///< true: use Scotch if Scotch is installed
};

struct grouping {
  std::vector<int> part;   ///< part of each vertex
  std::int64_t cut = 0;    ///< sum of the weights of edges between parts
  std::string begun_from;  ///< start of the search: "bricks 1x2x4", "bisection", "Scotch" or "input order"
};

/// Partition the vertices into parts of limited size. A heuristic minimises the weight between parts.
///
/// The initial partitions are consecutive vertices (the input order), bricks, recursive bisections, and the partition of
/// Scotch if Scotch is installed. Exchanges of vertices improve the best initial partitions. Vertices without edges
/// represent free places. The resulting cut is never larger than the cut of the input order. The result depends on the seed,
/// but not on the number of threads.
/// @param capacity maximum number of vertices of each part
/// @throws usage_error if there are fewer places than vertices, or if a capacity is negative
grouping group(const graph& g, std::span<const int> capacity, const grouping_options& options = {});

/// Assign vertices to parts in order. Each part is filled before vertices are assigned to the next part.
std::vector<int> in_order(int vertices, std::span<const int> capacity);

/// Groups as bricks of the grid.
struct brick_groups {
  std::vector<int> part;       ///< part of each vertex
  std::array<int, 3> brick{};  ///< number of blocks of a brick along z, y, x
  std::int64_t cut = 0;
  bool fits = false;         ///< true if the grid consists of complete bricks, and if each brick fills a part
  std::string name() const;  ///< Name such as "bricks 4x2x1". As in [Ito], the order is x, y, z.
};

/// Find the bricks with the smallest cut.
///
/// The function evaluates all brick shapes with as many blocks as the largest part. If no brick divides the grid, or if the
/// sizes of parts differ, blocks are distributed along a boustrophedon path through the bricks.
/// @param capacity maximum number of blocks of each part; the sum of the capacities must be at least the number of blocks
/// @cost O(blocks) for each brick shape
brick_groups best_bricks(const cartesian& grid, const graph& g, std::span<const int> capacity);

/// Move vertices from parts that exceed their capacity to parts with free places. Each move has the smallest cost of all
/// possible moves.
/// @return number of moves @cost O(moves (vertices log(parts) + edges)) in the worst case
int fit_capacity(const graph& g, std::span<const int> capacity, std::vector<int>& part);

}  // namespace osteon::placement
