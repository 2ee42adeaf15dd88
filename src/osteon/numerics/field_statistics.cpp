#include <osteon/numerics/field_statistics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/percentile.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::numerics {

field_statistics statistics(MPI_Comm comm, std::span<const float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::array<double, 2> sums{reduce_blocks(count,
                                           [&](std::int64_t begin, std::int64_t end) {
                                             double sum = 0;
                                             for (std::int64_t i = begin; i < end; ++i)
                                               sum += values[static_cast<std::size_t>(i)];
                                             return sum;
                                           }),
                             static_cast<double>(count)};
  comm::all_reduce(comm, sums.data(), 2, MPI_SUM);
  if (sums[1] == 0) return {};
  constexpr double fractions[] = {0.5, 0.95, 0.98, 0.99, 1.0};
  const std::vector<float> at = comm::percentiles(comm, values, fractions);
  return {sums[0] / sums[1], at[0], at[1], at[2], at[3], at[4]};
}

namespace {

constexpr std::array<double, 4> fractions{0.5, 0.95, 0.98, 0.99};

}  // namespace

std::vector<material_statistics> statistics_by_material(MPI_Comm comm, std::span<const material_number> material,
                                                        const std::vector<std::span<const float>>& fields) {
  // Per material: number of voxels, sums of the fields, and maxima of the fields.
  const std::size_t width = 1 + fields.size();
  int highest = 0;
  for (const material_number m : material) highest = std::max<int>(highest, m);
  comm::all_reduce(comm, &highest, 1, MPI_MAX);
  const auto numbers = static_cast<std::size_t>(highest) + 1;
  std::vector<double> sums(numbers * width), largest(numbers * width);
  for (std::size_t i = 0; i < material.size(); ++i) {
    double* const sum = sums.data() + material[i] * width;
    double* const top = largest.data() + material[i] * width;
    ++sum[0];
    for (std::size_t f = 0; f < fields.size(); ++f) {
      sum[1 + f] += fields[f][i];
      top[1 + f] = std::max(top[1 + f], static_cast<double>(fields[f][i]));
    }
  }
  comm::all_reduce(comm, sums.data(), sums.size(), MPI_SUM);
  comm::all_reduce(comm, largest.data(), largest.size(), MPI_MAX);

  std::vector<material_statistics> result;
  std::vector<std::size_t> group_of(numbers);
  for (std::size_t m = 0; m < numbers; ++m) {
    if (sums[m * width] == 0) continue;
    group_of[m] = result.size();
    result.push_back({static_cast<material_number>(m), static_cast<std::int64_t>(sums[m * width]), {}});
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::vector<float> found =
        comm::percentiles(comm, fields[f], fractions, result.size(), [&](std::size_t i) { return group_of[material[i]]; });
    for (std::size_t g = 0; g < result.size(); ++g) {
      const auto at = [&](std::size_t n) { return static_cast<double>(found[g * fractions.size() + n]); };
      const std::size_t m = result[g].material * width;
      result[g].fields.push_back({sums[m + 1 + f] / sums[m], at(0), at(1), at(2), at(3), largest[m + 1 + f]});
    }
  }
  return result;
}

}  // namespace osteon::numerics
