#pragma once
/// @file
/// Where a volume cannot be seen, and how far one may go from there.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <vector>

namespace osteon::kernel {

/// Least and greatest value around each macro cell of a block: of the cell's voxels and `margin` more on each side, as far
/// as they are present. NaN is left out; a cell with nothing else has least > greatest.
struct value_bounds {
  static constexpr int edge = 4;  ///< voxels along a macro cell

  index3 first;  ///< voxel where the first macro cell begins: the block's
  index3 cells;  ///< number of macro cells
  std::vector<std::array<float, 2>> range;

  /// @param values shape of `present` @cost one pass over the values
  static value_bounds of(const float* values, const box3& owned, const box3& present, int margin);
};

/// How many macro cells one may go in each direction, diagonals included, before one comes to a cell that `occupied`
/// names; 0 in such a cell, at most 255. The end of the block is no hindrance.
/// @cost 26 comparisons a cell
std::vector<std::uint8_t> distance_to_occupied(index3 cells, const std::vector<std::uint8_t>& occupied);

}  // namespace osteon::kernel
