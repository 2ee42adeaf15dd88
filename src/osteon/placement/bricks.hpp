#pragma once
/// @file
/// Groups of a Cartesian grid that are bricks of blocks.
#include <osteon/placement/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

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

}  // namespace osteon::placement
