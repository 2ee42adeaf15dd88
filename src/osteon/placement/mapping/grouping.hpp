#pragma once
/// @file
/// Groups of vertices, one for each host (or socket, or L3), so that few bytes go between groups; bricks
/// of a Cartesian grid, and parts that are too full, mended.
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
  std::int64_t proposals = 40'000'000;  ///< of all searches together, at most
  bool use_scotch = true;               ///< where it is installed
};

struct grouping {
  std::vector<int> part;   ///< of each vertex
  std::int64_t cut = 0;    ///< weights between parts
  std::string begun_from;  ///< "bricks 1x2x4", "bisection", "Scotch" or "input order"
};

/// Split the vertices into parts of at most so many with as little weight between parts as can be found.
///
/// A portfolio: consecutive vertices (the input order), bricks, recursive bisections, Scotch where it is installed; the
/// best of them are improved by exchanges of vertices. Free places take part as vertices without edges. The result is
/// never worse than the input order, is the same for any number of threads, and depends on the seed only.
/// @param capacity vertices that each part may hold
/// @throws usage_error if there are fewer places than vertices, or a capacity is negative
grouping group(const graph& g, std::span<const int> capacity, const grouping_options& options = {});

/// Vertices assigned in their order: each part is filled before the next.
std::vector<int> in_order(int vertices, std::span<const int> capacity);

/// Groups as bricks of the grid.
struct brick_groups {
  std::vector<int> part;       ///< of each vertex
  std::array<int, 3> brick{};  ///< blocks along z, y, x
  std::int64_t cut = 0;
  bool fits = false;         ///< the grid is whole bricks, and each fills its part
  std::string name() const;  ///< "bricks 4x2x1", along x, y, z as [Ito] writes them
};

/// The bricks that cut the fewest bytes.
///
/// All bricks that hold as many blocks as the largest part are tried. Where they do not divide the grid, or parts differ,
/// blocks are distributed along the row of bricks that winds through the grid.
/// @param capacity blocks that each part may hold; together at least the grid's
/// @cost O(blocks) for each brick
brick_groups best_bricks(const cartesian& grid, const graph& g, std::span<const int> capacity);

/// Move vertices from parts that are too full to parts with free places, each time the one whose move costs least.
/// @return number of moves @cost O(moves (vertices log(parts) + edges)) at worst
int fit_capacity(const graph& g, std::span<const int> capacity, std::vector<int>& part);

}  // namespace osteon::placement
