#include <osteon/job/percentiles.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace osteon::job {

std::array<double, 2> find_percentiles(MPI_Comm comm, const std::vector<float>& values,
                                       const std::array<double, 2>& percent) {
  double ends[2] = {HUGE_VAL, HUGE_VAL};  // least, and minus the greatest
  for (const float v : values)
    if (std::isfinite(v)) {
      ends[0] = std::min(ends[0], static_cast<double>(v));
      ends[1] = std::min(ends[1], -static_cast<double>(v));
    }
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MIN, comm);
  const double low = ends[0], width = -ends[1] - low;
  if (!(width > 0)) return {low, low};
  constexpr int bins = 65536;
  std::vector<std::int64_t> count(bins);
  for (const float v : values)
    if (std::isfinite(v)) ++count[static_cast<std::size_t>(std::clamp((v - low) / width * bins, 0.0, bins - 1.0))];
  MPI_Allreduce(MPI_IN_PLACE, count.data(), bins, MPI_INT64_T, MPI_SUM, comm);
  std::int64_t all = 0;
  for (const std::int64_t c : count) all += c;
  std::array<double, 2> result{};
  for (std::size_t k = 0; k < 2; ++k) {
    std::int64_t below = 0;
    int i = 0;
    while (i < bins - 1 &&
           static_cast<double>(below + count[static_cast<std::size_t>(i)]) < percent[k] / 100 * static_cast<double>(all))
      below += count[static_cast<std::size_t>(i++)];
    result[k] = low + width * (i + (k == 0 ? 0.0 : 1.0)) / bins;
  }
  return result;
}

}  // namespace osteon::job
