#pragma once
/// @file
/// Loops over cells with the numbers of their neighbours.
#include <array>
#include <osteon/base/for_each.hpp>
#include <osteon/numerics/operators/heat_cells.hpp>

namespace osteon::numerics {

/// Call visit(cell, neighbours) for the cells of a segment. `neighbours` has the numbers in six directions; -1: no
/// neighbour.
template <class Visit>
void visit_segment(const heat_cells& c, const kernel::conduction_segment& s, const Visit& visit) {
  std::array<std::int32_t, kernel::directions> near;
  for (std::int32_t n = 0; n < static_cast<std::int32_t>(s.length); ++n) {
    const std::int32_t i = s.first + n;
    for (std::size_t d = 0; d < near.size(); ++d)
      near[d] = (c.open[static_cast<std::size_t>(i)] >> d & 1) == 0 ? -1
                : d < 4                                             ? s.neighbour[d] + n
                                                                    : i + (d == 4 ? -1 : 1);
    visit(i, near);
  }
}
/// Call visit(cell, neighbours) for the cells outside all segments.
template <class Visit>
void visit_corners(const heat_cells& c, const Visit& visit) {
  std::array<std::int32_t, kernel::directions> near;
  for (const kernel::conduction_corner& k : c.corners) {
    for (std::size_t d = 0; d < near.size(); ++d) near[d] = k.neighbour[d] == k.cell ? -1 : k.neighbour[d];
    visit(k.cell, near);
  }
}

/// Call visit(cell, neighbours) for each owned cell, by one thread.
template <class Visit>
void visit_neighbours(const heat_cells& c, const Visit& visit) {
  for (const kernel::conduction_segment& s : c.segments) visit_segment(c, s, visit);
  visit_corners(c, visit);
}
/// Call visit(cell, neighbours) for each owned cell, by all threads and in any order; one thread processes the corners.
template <class Visit>
void visit_neighbours_in_parallel(const heat_cells& c, const Visit& visit) {
  constexpr std::int64_t chunk = 256;
  for_each_block(static_cast<std::int64_t>(c.segments.size()), chunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) visit_segment(c, c.segments[static_cast<std::size_t>(k)], visit);
  });
  visit_corners(c, visit);
}

}  // namespace osteon::numerics
