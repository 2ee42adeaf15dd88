#pragma once
/// @file
/// Sums and maxima over the cells of flow and their neighbours, by all threads and the same for any number of them.
#include <algorithm>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/stokes/flow_cells.hpp>

namespace osteon::physics {

namespace detail {

// Values of chunks of segments, and of the corners. @param join (value, value of a cell)
template <class Term, class Join>
std::vector<double> values_of_chunks(const heat_cells& c, const Term& term, const Join& join) {
  constexpr std::int64_t chunk = 256;
  const auto segments = static_cast<std::int64_t>(c.segments.size());
  std::vector<double> values(static_cast<std::size_t>((segments + chunk - 1) / chunk + 1));
  for_each_block(segments, chunk, [&](std::int64_t begin, std::int64_t end) {
    double& value = values[static_cast<std::size_t>(begin / chunk)];
    for (std::int64_t k = begin; k < end; ++k)
      visit_segment(c, c.segments[static_cast<std::size_t>(k)],
                    [&](std::int32_t i, const std::array<std::int32_t, 6>& near) { value = join(value, term(i, near)); });
  });
  visit_corners(c, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    values.back() = join(values.back(), term(i, near));
  });
  return values;
}

}  // namespace detail

/// Of term(cell, neighbours) >= 0 over the owned cells of all ranks. @collective on c.where.comm
template <class Term>
double largest_over_cells(const heat_cells& c, const Term& term) {
  double largest = 0;
  for (const double v : detail::values_of_chunks(c, term, [](double a, double b) { return std::max(a, b); }))
    largest = std::max(largest, v);
  comm::counted_all_reduce(c.where.comm, &largest, 1, MPI_MAX);
  return largest;
}

/// Of term(cell, neighbours) over the owned cells of all ranks. @collective on c.where.comm
template <class Term>
double sum_over_cells(const heat_cells& c, const Term& term) {
  double sum = 0;
  for (const double v : detail::values_of_chunks(c, term, [](double a, double b) { return a + b; })) sum += v;
  comm::counted_all_reduce(c.where.comm, &sum, 1, MPI_SUM);
  return sum;
}

}  // namespace osteon::physics
