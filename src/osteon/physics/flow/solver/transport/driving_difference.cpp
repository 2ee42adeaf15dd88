#include <osteon/physics/flow/solver/transport/driving_difference.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::physics {

double driving_difference_K(const temperature_problem& heat, const through_problem& flow, double reference_K,
                            double range_of_fluid_K) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto add = [&](double value) { low = std::min(low, value), high = std::max(high, value); };
  bool is_heated = std::any_of(heat.source_W_per_mm3.begin(), heat.source_W_per_mm3.end(), [](double s) { return s != 0; });
  for (std::size_t n = 0; n < heat.incoming_K.size(); ++n)
    if (heat.incoming_K[n]) add(*heat.incoming_K[n]);
  for (const heat_boundary& c : heat.conditions) {
    if (c.heat.kind == thermal::temperature || c.heat.kind == thermal::convection) add(c.heat.temperature_K);
    is_heated = is_heated || (c.heat.kind == thermal::flux && c.heat.flux_W_per_mm2 != 0);
  }
  const bool gives_pressure =
      std::any_of(flow.boundaries.begin(), flow.boundaries.end(), [](const flow_boundary& b) { return b.gives_pressure(); });
  if (gives_pressure) add(reference_K);
  const double given = high > low ? high - low : 0;
  return is_heated || given == 0 ? std::max(given, range_of_fluid_K) : given;
}

double inverse_gradient_K_per_mm(const temperature_problem& heat, const transport_cells& cells, const buoyancy& weight,
                                 const std::vector<double>& above) {
  std::vector<double> t(at(cells.grid.size));
  std::copy(above.begin(), above.end(), t.begin());
  cells.grid.links.exchange(t.data());
  const vector3 g = weight.gravity_m_per_s2, h = heat.spacing_mm;
  const double length = std::sqrt(g.z * g.z + g.y * g.y + g.x * g.x);
  const double sign = weight.expansion_per_K > 0 ? 1 : -1;
  std::array<double, 2> sums{};
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (cells.is_fluid[at(i)] == 0) return;
    double upwards = 0;  // gradient in the direction opposite to gravity, computed from the two sides of the cell
    for (std::size_t d = 0; d < 6; ++d) {
      const std::int32_t j = near[d];
      if (j < 0 || cells.is_fluid[at(j)] == 0) continue;
      const int a = static_cast<int>(d / 2);
      const double slope = (d % 2 == 0 ? t[at(i)] - t[at(j)] : t[at(j)] - t[at(i)]) / h[a];
      upwards -= 0.5 * sign * slope * g[a] / length;
    }
    if (upwards < 0) sums[0] += upwards * upwards;
    ++sums[1];
  });
  comm::all_reduce(cells.grid.where.comm, sums.data(), 2, MPI_SUM);
  return sums[1] > 0 ? std::sqrt(sums[0] / sums[1]) : 0;
}

}  // namespace osteon::physics
