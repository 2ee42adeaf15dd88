#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/together.hpp>
#include <osteon/solve/conduction_check.hpp>
#include <osteon/solve/heat_parts.hpp>

namespace osteon::solve {

std::vector<float> heat_flux_density(const heat_problem& problem, const std::vector<double>& temperature_K) {
  check_conduction(problem);
  comm::together(problem.where.comm, [&] {
    if (temperature_K.size() != problem.material.size())
      throw usage_error(fmt::format("{} temperatures for {} active cells; pass the temperatures that solve_heat returned",
                                    temperature_K.size(), problem.material.size()));
  });
  const auto c = all_cells(problem);
  std::vector<double> temperature(static_cast<std::size_t>(c.size));
  std::copy(temperature_K.begin(), temperature_K.end(), temperature.begin() + c.begin);
  c.halo.exchange(temperature.data());

  // An insulated face has no flux and counts in the mean of its axis.
  std::vector<std::array<float, 3>> flux(static_cast<std::size_t>(c.owned()));
  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  const auto add = [&](std::int32_t i, int axis, double upward) {
    const auto a = static_cast<std::size_t>(axis);
    flux[static_cast<std::size_t>(i - c.begin)][a] += static_cast<float>(0.5 * upward / area[a]);
  };
  const auto drop = [&](std::int32_t i, std::int32_t j) {
    return temperature[static_cast<std::size_t>(i)] - temperature[static_cast<std::size_t>(j)];
  };
  kernel::visit_faces(c.stencil<double>(), [&](std::int32_t i, std::int32_t j, int axis, bool high, double g) {
    if (!c.is_wall(j)) add(i, axis, g * drop(i, j) * (high ? 1 : -1));
  });
  const heat_load load = load_of(problem, c, 0, problem.gradient_K_per_mm);
  for (const outer_face& f : c.outer) {
    const face_drive drive = load.at_face(f);
    const bool wraps = c.periodic[static_cast<std::size_t>(f.axis())];  // then all but the rise was seen above
    const double inward = wraps ? c.conductance(f) * drive.rise_K : inflow(c, f, drive, temperature);
    add(f.cell, f.axis(), f.high() ? -inward : inward);
  }
  std::vector<float> magnitude(flux.size());
  std::transform(flux.begin(), flux.end(), magnitude.begin(), [](const auto& q) { return std::hypot(q[0], q[1], q[2]); });
  return magnitude;
}

}  // namespace osteon::solve
