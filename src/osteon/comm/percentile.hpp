#pragma once
/// @file
/// Percentiles of values distributed over ranks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace osteon::comm {

/// Group index of values that do not belong to a group.
inline constexpr std::size_t no_group = static_cast<std::size_t>(-1);

namespace percentile_detail {

// Map floats to unsigned numbers with the same order. -0 and 0 have the same number.
inline std::uint32_t ordered(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
inline float of_ordered(std::uint32_t order) {
  return std::bit_cast<float>((order & 0x80000000U) != 0 ? order & 0x7fffffffU : ~order);
}

// State of the search for a value. The state consists of the leading bytes of the value, and its position in the order of
// all values with these leading bytes.
struct search {
  std::uint32_t prefix = 0;
  std::int64_t rank = 0;
};

}  // namespace percentile_detail

/// Quantiles of groups of values. The quantile for a fraction p is the smallest value v for which the values <= v have at
/// least the fraction p of the group's weight. The quantile for the fraction 0 is the smallest value of the group.
///
/// The result is exact, and independent of the number of ranks. The algorithm determines the quantiles byte by byte from
/// counts of values. Ranks exchange the counts, but no values.
/// @param values finite if the values belong to a group @param fractions each in [0, 1]
/// @param group_of(i) group of values[i]: a number below `groups`, or `no_group`
/// @param weight_of(i) weight of values[i], an integer >= 0; values of weight 0 are ignored
/// @return quantiles ordered by group, then by fraction; 0 for a group without weight
/// @collective on comm @cost five sweeps over the values, and four allreduces of 256 counters for each quantile
template <class GroupOf, class WeightOf>
std::vector<float> percentiles(MPI_Comm comm, std::span<const float> values, std::span<const double> fractions,
                               std::size_t groups, GroupOf group_of, WeightOf weight_of) {
  namespace detail = percentile_detail;
  std::vector<std::int64_t> sizes(groups);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const std::size_t g = group_of(i); g != no_group) sizes[g] += weight_of(i);
  MPI_Allreduce(MPI_IN_PLACE, sizes.data(), static_cast<int>(groups), MPI_INT64_T, MPI_SUM, comm);

  std::vector<detail::search> found(groups * fractions.size());
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t f = 0; f < fractions.size(); ++f) {
      const double rank = std::ceil(fractions[f] * static_cast<double>(sizes[g]) - 1e-9);
      found[g * fractions.size() + f].rank =
          sizes[g] == 0 ? 0 : std::clamp<std::int64_t>(static_cast<std::int64_t>(rank), 1, sizes[g]);
    }
  std::vector<std::array<std::int64_t, 256>> count(found.size());
  for (int shift = 24; shift >= 0; shift -= 8) {
    const std::uint32_t known = shift == 24 ? 0 : ~((std::uint32_t{1} << (shift + 8)) - 1);
    std::fill(count.begin(), count.end(), std::array<std::int64_t, 256>{});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t g = group_of(i);
      if (g == no_group) continue;
      const std::uint32_t order = detail::ordered(values[i]);
      for (std::size_t s = g * fractions.size(); s < (g + 1) * fractions.size(); ++s)
        if ((order & known) == found[s].prefix) count[s][order >> shift & 255] += weight_of(i);
    }
    constexpr std::size_t at_once = 65536;  // MPI counts are of type int
    for (std::size_t s = 0; s < count.size(); s += at_once)
      MPI_Allreduce(MPI_IN_PLACE, count[s].data(), static_cast<int>(256 * std::min(at_once, count.size() - s)), MPI_INT64_T,
                    MPI_SUM, comm);
    for (std::size_t s = 0; s < found.size(); ++s) {
      if (found[s].rank == 0) continue;
      std::uint32_t digit = 0;
      while (found[s].rank > count[s][digit]) found[s].rank -= count[s][digit++];
      found[s].prefix |= digit << shift;
    }
  }
  std::vector<float> result(found.size());
  for (std::size_t s = 0; s < found.size(); ++s)
    if (found[s].rank > 0) result[s] = detail::of_ordered(found[s].prefix);
  return result;
}

/// Quantiles of values with unit weights.
template <class GroupOf>
std::vector<float> percentiles(MPI_Comm comm, std::span<const float> values, std::span<const double> fractions,
                               std::size_t groups, GroupOf group_of) {
  return percentiles(comm, values, fractions, groups, group_of, [](std::size_t) { return std::int64_t{1}; });
}

/// One quantile of one group. @param counts(v) true if the value v belongs to the group. Values of the group must be finite.
template <class Counts>
double percentile(MPI_Comm comm, std::span<const float> values, double fraction, Counts counts) {
  return static_cast<double>(percentiles(comm, values, std::span(&fraction, 1), 1, [&](std::size_t i) {
                               return counts(values[i]) ? std::size_t{0} : no_group;
                             }).front());
}

/// Quantiles of all values. @param values finite
inline std::vector<float> percentiles(MPI_Comm comm, std::span<const float> values, std::span<const double> fractions) {
  return percentiles(comm, values, fractions, 1, [](std::size_t) { return std::size_t{0}; });
}

}  // namespace osteon::comm
