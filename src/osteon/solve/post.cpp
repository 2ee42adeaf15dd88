#include <osteon/solve/post.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <osteon/base/for_each.hpp>

namespace osteon::solve {

float percentile(MPI_Comm comm, std::span<const float> values, double fraction) {
  auto total = static_cast<std::int64_t>(values.size());
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, comm);
  if (total == 0) return 0;
  // Non-negative floats are ordered like their bit patterns, so the value is found byte by byte from the top.
  auto wanted =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(fraction * static_cast<double>(total) - 1e-9)), 1, total);
  std::uint32_t prefix = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const std::uint32_t mask = shift == 24 ? 0 : ~((std::uint32_t{1} << (shift + 8)) - 1);
    std::array<std::int64_t, 256> count{};
    for (const float value : values) {
      const auto bits = std::bit_cast<std::uint32_t>(value > 0 ? value : 0.0F);  // also -0
      if ((bits & mask) == prefix) ++count[bits >> shift & 255];
    }
    MPI_Allreduce(MPI_IN_PLACE, count.data(), static_cast<int>(count.size()), MPI_INT64_T, MPI_SUM, comm);
    std::uint32_t digit = 0;
    while (wanted > count[digit]) wanted -= count[digit++];
    prefix |= digit << shift;
  }
  return std::bit_cast<float>(prefix);
}

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
  const auto at = [&](double fraction) { return static_cast<double>(percentile(comm, values, fraction)); };
  return {sums[0] / sums[1], at(0.5), at(0.95), at(0.98), at(0.99), at(1.0)};
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
  const double reached = percentile(comm, strain, 1 - critical_volume);
  return {critical_strain / reached, load_N * (critical_strain / reached)};
}

}  // namespace osteon::solve
