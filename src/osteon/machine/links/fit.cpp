#include <algorithm>
#include <cmath>
#include <osteon/base/kth_smallest.hpp>
#include <osteon/machine/links/fit.hpp>
#include <utility>

namespace osteon::machine {

double median(std::vector<double> values) {
  const std::size_t middle = (values.size() - 1) / 2;
  return kth_smallest(std::move(values), middle);
}

link fit_robust(std::span<const timing> timings) {
  const auto less = [](const timing& a, const timing& b) { return a.bytes < b.bytes; };
  const auto [small, large] = std::minmax_element(timings.begin(), timings.end(), less);
  constexpr double range = 16;
  std::vector<timing> points;
  for (const timing& t : timings)
    if (t.bytes * range >= large->bytes) points.push_back(t);
  if (points.size() < 3) points.assign(timings.begin(), timings.end());
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (const double run = points[i].bytes - points[j].bytes; run != 0)
        slopes.push_back((points[i].seconds - points[j].seconds) / run);
  double seconds_per_byte = slopes.empty() ? 0 : median(std::move(slopes));
  // A non-negative latency implies that the time per byte does not exceed the time per byte of the largest message. The
  // value of the largest message is also used if times do not increase with the size.
  const double slowest = large->seconds / large->bytes;
  if (!(seconds_per_byte > 0) || seconds_per_byte > slowest) seconds_per_byte = slowest;
  return {std::max(small->seconds - small->bytes * seconds_per_byte, 0.0), 1 / seconds_per_byte};
}

link fit_paper(std::span<const timing> timings) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(timings.size());
  for (const timing& t : timings) {
    x += t.bytes / n;
    y += t.seconds / n;
  }
  for (const timing& t : timings) {
    xx += (t.bytes - x) * (t.bytes - x);
    xy += (t.bytes - x) * (t.seconds - y);
  }
  if (xx == 0 || xy == 0) return {y, 0};
  return {y - xy / xx * x, xx / xy};
}

}  // namespace osteon::machine
