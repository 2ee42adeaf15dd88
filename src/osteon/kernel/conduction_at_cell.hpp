#pragma once
/// @file
/// The seven-point conduction operator cell by cell: a functor for `for_each` on the host and on a device, and the readable
/// reference of conduction.hpp.
#include <osteon/base/for_each.hpp>
#include <osteon/kernel/conduction.hpp>
#include <vector>

namespace osteon::kernel {

/// y = K x at cell i. Borrowed memory, on the side where it runs.
template <class T>
struct conduction_at_cell {
  const conduction_segment* segments;
  const std::int32_t* segment_of_cell;
  const std::uint8_t* material;  ///< per cell, ghosts and walls included
  const T* resistivity;          ///< per material [mm K/W]; 0 for wall cells
  T face[3];                     ///< 2 A / h of a face normal to (z, y, x) [mm]
  const T* x;                    ///< read at the cells, their ghosts and the walls
  T* y;

  OSTEON_HD void operator()(std::int64_t cell) const {
    const auto i = static_cast<std::int32_t>(cell);
    const conduction_segment& s = segments[segment_of_cell[cell]];
    const std::int32_t n = i - s.first;
    const std::int32_t neighbour[6] = {
        s.below + n, s.above + n, s.front + n, s.back + n, n > 0 ? i - 1 : s.left, n + 1 < s.length ? i + 1 : s.right};
    T sum = 0;
    for (int k = 0; k < 6; ++k) {
      const std::int32_t j = neighbour[k];
      if (j != i) sum += face[k / 2] / (resistivity[material[i]] + resistivity[material[j]]) * (x[i] - x[j]);
    }
    y[i] = sum;
  }
};

/// The number of the segment of each cell.
inline std::vector<std::int32_t> segments_of_cells(std::span<const conduction_segment> segments, std::int64_t cells) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(cells), -1);
  for (std::size_t s = 0; s < segments.size(); ++s)
    for (std::int32_t n = 0; n < segments[s].length; ++n)
      table[static_cast<std::size_t>(segments[s].first + n)] = static_cast<std::int32_t>(s);
  return table;
}

}  // namespace osteon::kernel
