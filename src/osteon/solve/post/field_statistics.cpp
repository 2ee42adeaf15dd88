#include <osteon/solve/post/field_statistics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/percentile.hpp>

namespace osteon::solve {

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
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, comm);
  if (sums[1] == 0) return {};
  constexpr double fractions[] = {0.5, 0.95, 0.98, 0.99, 1.0};
  const std::vector<float> at = comm::percentiles(comm, values, fractions);
  return {sums[0] / sums[1], at[0], at[1], at[2], at[3], at[4]};
}

std::vector<float> effective_strain(const voxel::material_table& materials, std::span<const material_number> material,
                                    std::span<const float> sed) {
  std::vector<float> strain(sed.size());
  for_each(static_cast<std::int64_t>(sed.size()), [&](std::int64_t i) {
    const auto c = static_cast<std::size_t>(i);
    strain[c] = static_cast<float>(std::sqrt(2.0 * sed[c] / materials[material[c]].youngs_modulus_MPa));
  });
  return strain;
}

pistoia_estimate pistoia(MPI_Comm comm, std::span<const float> strain, double load_N, double critical_strain,
                         double critical_volume) {
  const double fraction = 1 - critical_volume;
  const double reached = comm::percentiles(comm, strain, std::span(&fraction, 1)).front();
  return {critical_strain / reached, load_N * (critical_strain / reached)};
}

}  // namespace osteon::solve
