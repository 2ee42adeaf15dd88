#pragma once
/// @file
/// Threaded sums and maxima over cells and their neighbours. The results are independent of the number of threads.
#include <algorithm>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/operators/visit_neighbours.hpp>

namespace osteon::numerics {

namespace detail {

/// Call each(value, cell, neighbours) for the cells of the segments [begin, end). @return final value; the initial value is
/// 0
template <class Each>
double value_of_segments(const heat_cells& c, std::int64_t begin, std::int64_t end, const Each& each) {
  double value = 0;
  for (std::int64_t k = begin; k < end; ++k)
    visit_segment(c, c.segments[static_cast<std::size_t>(k)],
                  [&](std::int32_t i, const std::array<std::int32_t, 6>& near) { each(value, i, near); });
  return value;
}
template <class Each>
double value_of_corners(const heat_cells& c, const Each& each) {
  double value = 0;
  visit_corners(c, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) { each(value, i, near); });
  return value;
}
inline index_blocks blocks_of_segments(const heat_cells& c) {
  return {.count = static_cast<std::int64_t>(c.segments.size()), .size = 256};
}

}  // namespace detail

/// Largest term(cell, neighbours) >= 0 of the owned cells of all ranks. @collective on c.where.comm
template <class Term>
double largest_over_cells(const heat_cells& c, const Term& term) {
  const auto join = [&](double& value, std::int32_t i, const auto& near) { value = std::max(value, term(i, near)); };
  double largest =
      std::max(block_maximum(detail::blocks_of_segments(c),
                             [&](std::int64_t b, std::int64_t e) { return detail::value_of_segments(c, b, e, join); }),
               detail::value_of_corners(c, join));
  comm::counted_all_reduce(c.where.comm, &largest, 1, MPI_MAX);
  return largest;
}

/// Sum of term(cell, neighbours) over the owned cells of all ranks. @collective on c.where.comm
template <class Term>
double sum_over_cells(const heat_cells& c, const Term& term) {
  const auto join = [&](double& value, std::int32_t i, const auto& near) { value += term(i, near); };
  auto sum = block_sums<1>(detail::blocks_of_segments(c), [&](std::int64_t begin, std::int64_t end, auto& sums) {
    sums[0] = detail::value_of_segments(c, begin, end, join);
  });
  sum[0] += detail::value_of_corners(c, join);
  return sum_of_ranks(c.where.comm, sum)[0];
}

}  // namespace osteon::numerics
