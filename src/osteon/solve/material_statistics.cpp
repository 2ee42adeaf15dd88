#include <osteon/solve/material_statistics.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace osteon::solve {

namespace {

constexpr std::array<double, 4> fractions{0.5, 0.95, 0.98, 0.99};

// A percentile during the search for it: the leading bytes, and its rank among the values that begin with them.
struct search {
  std::uint32_t prefix = 0;
  std::int64_t wanted = 0;
};
using searches = std::array<search, fractions.size()>;

// The percentiles of all groups at once, byte by byte from the top as `percentile` finds one.
std::vector<searches> percentiles(MPI_Comm comm, std::span<const float> values, std::span<const material_number> material,
                                  const std::vector<std::size_t>& group_of, const std::vector<std::int64_t>& voxels) {
  std::vector<searches> found(voxels.size());
  for (std::size_t g = 0; g < voxels.size(); ++g)
    for (std::size_t f = 0; f < fractions.size(); ++f) {
      const double rank = std::ceil(fractions[f] * static_cast<double>(voxels[g]) - 1e-9);
      found[g][f].wanted = std::clamp<std::int64_t>(static_cast<std::int64_t>(rank), 1, voxels[g]);
    }
  std::vector<std::array<std::array<std::int64_t, 256>, fractions.size()>> count(voxels.size());
  for (int shift = 24; shift >= 0; shift -= 8) {
    const std::uint32_t mask = shift == 24 ? 0 : ~((std::uint32_t{1} << (shift + 8)) - 1);
    std::fill(count.begin(), count.end(), decltype(count)::value_type{});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(values[i] > 0 ? values[i] : 0.0F);
      const std::size_t g = group_of[material[i]];
      for (std::size_t f = 0; f < fractions.size(); ++f)
        if ((bits & mask) == found[g][f].prefix) ++count[g][f][bits >> shift & 255];
    }
    MPI_Allreduce(MPI_IN_PLACE, count.data(), static_cast<int>(count.size() * fractions.size() * 256), MPI_INT64_T, MPI_SUM,
                  comm);
    for (std::size_t g = 0; g < voxels.size(); ++g)
      for (std::size_t f = 0; f < fractions.size(); ++f) {
        std::uint32_t digit = 0;
        while (found[g][f].wanted > count[g][f][digit]) found[g][f].wanted -= count[g][f][digit++];
        found[g][f].prefix |= digit << shift;
      }
  }
  return found;
}

}  // namespace

std::vector<material_statistics> statistics_by_material(MPI_Comm comm, std::span<const material_number> material,
                                                        const std::vector<std::span<const float>>& fields) {
  // Per material: its voxels, then the sums of the fields; and the largest values of the fields.
  const std::size_t width = 1 + fields.size();
  int highest = 0;
  for (const material_number m : material) highest = std::max<int>(highest, m);
  MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_INT, MPI_MAX, comm);
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
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), static_cast<int>(largest.size()), MPI_DOUBLE, MPI_MAX, comm);

  std::vector<material_statistics> result;
  std::vector<std::int64_t> voxels;
  std::vector<std::size_t> group_of(numbers);
  for (std::size_t m = 0; m < numbers; ++m) {
    if (sums[m * width] == 0) continue;
    group_of[m] = result.size();
    voxels.push_back(static_cast<std::int64_t>(sums[m * width]));
    result.push_back({static_cast<material_number>(m), voxels.back(), {}});
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::vector<searches> found = percentiles(comm, fields[f], material, group_of, voxels);
    for (std::size_t g = 0; g < result.size(); ++g) {
      const auto at = [&](std::size_t n) { return static_cast<double>(std::bit_cast<float>(found[g][n].prefix)); };
      const std::size_t m = result[g].material * width;
      result[g].fields.push_back({sums[m + 1 + f] / sums[m], at(0), at(1), at(2), at(3), largest[m + 1 + f]});
    }
  }
  return result;
}

}  // namespace osteon::solve
