#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/periods.hpp>

namespace osteon::physics {

void add_period_drops(const open_flow_cells& open, const flow_units& units, const period_drops& drops, flow_entries& right) {
  const flow_cells& cells = open.cells;
  for (std::size_t a = 0; a < 3; ++a)
    if (drops[a] != 0)
      for (const std::int32_t i : open.seam[a])
        right.emplace_back(static_cast<std::int64_t>(a) * cells.stride() + i, cells.slope[a] * drops[a] / units.pressure_Pa);
}

void find_period_flows(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                       const flow_units& units, const period_drops& drops, through_flow& flow) {
  const flow_cells& cells = open.cells;
  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  std::array<double, 3> sums{};
  for (std::size_t a = 0; a < 3; ++a)
    for (const std::int32_t i : open.seam[a]) sums[a] += x[a * at(cells.stride()) + at(i)];
  comm::all_reduce(problem.where.comm, sums.data(), sums.size(), MPI_SUM);
  int driven = -1, count = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    flow.period_flow_mm3_per_s[a] = problem.periodic[a] ? units.velocity_mm_per_s * area[a] * sums[a] : 0;
    flow.period_drop_Pa[a] = drops[a];
    if (drops[a] != 0) driven = static_cast<int>(a), ++count;
  }
  if (count != 1 || flow.inflow_mm3_per_s != 0) return;
  const double sign = drops[at(driven)] < 0 ? -1 : 1;
  flow.inflow_mm3_per_s = sign * flow.period_flow_mm3_per_s[at(driven)];
  flow.pressure_drop_Pa = sign * drops[at(driven)];
}

double guessed_drop(const through_problem& problem, const through_solution& all, std::size_t axis, double rate) {
  const int a = static_cast<int>(axis);
  const vector3 h = problem.spacing_mm;
  const double length = static_cast<double>(problem.where.domain[a]) * h[a];
  const double section = static_cast<double>(all.counts.flowing) * h.z * h.y * h.x / length;
  const double width = all.hydraulic_diameter_mm > 0 ? all.hydraulic_diameter_mm : std::sqrt(section);
  return 32 * problem.viscosity_Pa_s * rate / section * length / (width * width);
}

bool rate_search::is_found(double rate) {
  ++trials_;
  if (std::abs(rate - rate_) <= tolerance_ * std::abs(rate_)) return true;
  double next = trials_ == 1 || drop_ == last_drop_ || rate == last_rate_
                    ? (rate != 0 ? drop_ * rate_ / rate : 2 * drop_)
                    : drop_ + (rate_ - rate) * (drop_ - last_drop_) / (rate - last_rate_);
  if (!std::isfinite(next)) next = 2 * drop_;
  last_drop_ = drop_;
  last_rate_ = rate;
  growth_ = drop_ != 0 ? next / drop_ : 0;
  drop_ = next;
  return false;
}

}  // namespace osteon::physics
