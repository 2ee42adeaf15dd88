#pragma once
/// @file
/// Seven-point conduction operator by cells: a functor for `for_each` on host and device. Tests compare conduction.hpp with
/// this functor.
#include <algorithm>
#include <osteon/base/for_each.hpp>
#include <osteon/base/material_number.hpp>
#include <osteon/kernel/heat/conduction.hpp>
#include <vector>

namespace osteon::kernel {

/// The neighbours of the cells of one segment as plain arrays, which a device can index; see conduction_segment.
struct conduction_row {
  std::int32_t first;
  std::int32_t neighbour[4];
};

/// y = K x at cell i of a segment; corners have no row. Borrows memory of the host or device that executes the functor.
template <class T>
struct conduction_at_cell {
  const conduction_row* rows;
  const std::int32_t* row_of_cell;  ///< by `rows_of_cells`
  const std::uint8_t* open;         ///< per cell: bits of the directions
  const material_number* material;  ///< per cell, including ghosts and walls
  const T* resistivity;             ///< per material [mm K/W]; 0 for wall cells
  const T* storage;                 ///< per material [W/K]
  T face[3];                        ///< 2 A / h of a face normal to (z, y, x) [mm]
  const T* x;                       ///< read at cells, ghosts and walls
  T* y;

  OSTEON_HD void operator()(std::int64_t cell) const {
    const auto i = static_cast<std::int32_t>(cell);
    const conduction_row& row = rows[row_of_cell[cell]];
    T sum = storage[material[i]] * x[i];
    for (int d = 0; d < directions; ++d) {
      if ((open[i] >> d & 1) == 0) continue;
      const std::int32_t j = d < 4 ? row.neighbour[d] + (i - row.first) : d == 4 ? i - 1 : i + 1;
      sum += face[d / 2] / (resistivity[material[i]] + resistivity[material[j]]) * (x[i] - x[j]);
    }
    y[i] = sum;
  }
};

inline std::vector<conduction_row> rows_of(std::span<const conduction_segment> segments) {
  std::vector<conduction_row> rows;
  for (const conduction_segment& s : segments) {
    rows.push_back({s.first, {}});
    std::copy(s.neighbour.begin(), s.neighbour.end(), rows.back().neighbour);
  }
  return rows;
}

/// Row number of each cell.
inline std::vector<std::int32_t> rows_of_cells(std::span<const conduction_segment> segments, std::int64_t cells) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(cells), -1);
  for (std::size_t s = 0; s < segments.size(); ++s)
    std::fill_n(table.begin() + segments[s].first, static_cast<std::int32_t>(segments[s].length),
                static_cast<std::int32_t>(s));
  return table;
}

}  // namespace osteon::kernel
