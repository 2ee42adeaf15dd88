#include <algorithm>
#include <cmath>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>

namespace osteon::physics {

double time_table::at(double time_s) const {
  if (points.empty()) return 1;
  const double t = period_s > 0 ? time_s - period_s * std::floor(time_s / period_s) : time_s;
  const auto next = std::upper_bound(points.begin(), points.end(), t,
                                     [](double value, const std::array<double, 2>& point) { return value < point[0]; });
  if (next == points.begin()) return points.front()[1];
  if (next == points.end()) return points.back()[1];
  const auto& low = *(next - 1);
  const double part = (t - low[0]) / ((*next)[0] - low[0]);
  return (1 - part) * low[1] + part * (*next)[1];
}

double time_table::most() const {
  double highest = points.empty() ? 1 : 0;
  for (const auto& point : points) highest = std::max(highest, std::abs(point[1]));
  return highest;
}

}  // namespace osteon::physics
