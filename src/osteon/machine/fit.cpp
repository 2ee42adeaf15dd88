#include <algorithm>
#include <cmath>
#include <osteon/machine/fit.hpp>

namespace osteon::machine {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

link fit_robust(std::span<const timing> timings) {
  struct slope {
    double value, weight;
  };
  std::vector<slope> slopes;
  double all = 0;
  timing small = timings[0], large = timings[0];
  for (std::size_t i = 0; i < timings.size(); ++i) {
    if (timings[i].bytes < small.bytes) small = timings[i];
    if (timings[i].bytes > large.bytes) large = timings[i];
    for (std::size_t j = 0; j < i; ++j) {
      const double run = timings[i].bytes - timings[j].bytes;
      if (run == 0) continue;
      slopes.push_back({(timings[i].seconds - timings[j].seconds) / run, std::abs(run)});
      all += std::abs(run);
    }
  }
  std::sort(slopes.begin(), slopes.end(), [](const slope& a, const slope& b) { return a.value < b.value; });
  double seconds_per_byte = 0, passed = 0;
  for (const slope& s : slopes)
    if ((passed += s.weight) >= all / 2) {
      seconds_per_byte = s.value;
      break;
    }
  // Latency is not negative, so no message is faster than its bytes at this rate; and if the times do not grow with the
  // size at all, the largest message bounds the rate from below.
  const double slowest = large.seconds / large.bytes;
  if (!(seconds_per_byte > 0) || seconds_per_byte > slowest) seconds_per_byte = slowest;
  return {std::max(small.seconds - small.bytes * seconds_per_byte, 0.0), 1 / seconds_per_byte};
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
