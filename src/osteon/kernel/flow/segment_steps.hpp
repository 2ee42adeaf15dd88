#pragma once
/// @file
/// Traversal of segments in vectors of cells, for the flow kernels.
#include <algorithm>
#include <array>
#include <osteon/kernel/heat/conduction.hpp>
#include <span>

namespace osteon::kernel::detail {

/// Call step(i, to, left) for vectors of `Width` cells. A vector begins at cell i of a segment with `left` remaining cells;
/// its neighbours in the six directions are at i + to[d]. No branch tests for the end of a segment. Segments in pores have
/// only about ten cells, and a branch misprediction costs as much time as a vector.
template <int Width, class Step>
void step_through(std::span<const conduction_segment> segments, const Step& step) {
  if (segments.empty()) return;
  const conduction_segment* s = segments.data();
  const conduction_segment* const end = s + segments.size();
  for (std::int32_t i = s->first;;) {
    const std::int32_t first = s->first, left = first + static_cast<std::int32_t>(s->length) - i;
    const std::array<std::int64_t, directions> to{
        s->neighbour[0] - first, s->neighbour[1] - first, s->neighbour[2] - first, s->neighbour[3] - first, -1, 1};
    step(i, to, left);
    const bool is_over = left <= Width;
    s += is_over;
    if (s == end) return;
    const std::int32_t begin = s->first, next = i + Width, chosen = -static_cast<std::int32_t>(is_over);
    i = (begin & chosen) | (next & ~chosen);  // bit operations, because compilers translate a conditional to a branch
  }
}

/// Number of the first cell after the segments.
inline std::int32_t end_of(std::span<const conduction_segment> segments) {
  return segments.empty() ? 0 : segments.back().first + static_cast<std::int32_t>(segments.back().length);
}

/// Call visit(segments, corners) for chunks of segments by all threads. The corners of a chunk are adjacent to its segments;
/// the required values are therefore in cache.
/// @param corners ascending
template <class Visit>
void for_each_chunk(std::span<const conduction_segment> segments, std::span<const conduction_corner> corners,
                    const Visit& visit) {
  constexpr std::int64_t chunk = 64;
  const auto count = static_cast<std::int64_t>(segments.size());
  if (count == 0) return visit(segments, corners);
  const auto corner_from = [&](std::int64_t segment) {
    if (segment <= 0) return corners.begin();
    if (segment >= count) return corners.end();
    return std::lower_bound(corners.begin(), corners.end(), segments[static_cast<std::size_t>(segment)].first,
                            [](const conduction_corner& c, std::int32_t cell) { return c.cell < cell; });
  };
  for_each_block(count, chunk, [&](std::int64_t begin, std::int64_t end) {
    visit(segments.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
          std::span(corner_from(begin), corner_from(end)));
  });
}

}  // namespace osteon::kernel::detail
