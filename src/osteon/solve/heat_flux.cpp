#include <osteon/solve/conduction_cells.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/together.hpp>
#include <osteon/solve/conduction_check.hpp>
#include <osteon/solve/percolation.hpp>

namespace osteon::solve {

std::vector<float> heat_flux_density(const heat_problem& problem, const std::vector<double>& temperature_K) {
  check_conduction(problem);
  comm::together(problem.where.comm, [&] {
    if (temperature_K.size() != problem.material.size())
      throw usage_error(fmt::format("{} temperatures for {} active cells; pass the temperatures that solve_heat returned",
                                    temperature_K.size(), problem.material.size()));
  });
  const auto c = make_conduction_cells(problem, with_ghost_runs(problem.where, problem.cells), problem.material);
  std::vector<double> temperature(static_cast<std::size_t>(c.size));
  std::copy(temperature_K.begin(), temperature_K.end(), temperature.begin() + c.begin);
  std::fill(temperature.begin() + c.low_wall, temperature.begin() + c.high_wall, problem.low_K);
  std::fill(temperature.begin() + c.high_wall, temperature.end(), problem.high_K);
  c.halo.exchange(temperature.data());

  // An insulated face has no flux and counts in the mean of its axis.
  std::vector<std::array<float, 3>> flux(static_cast<std::size_t>(c.owned()));
  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  kernel::visit_faces(c.stencil<double>(), [&](std::int32_t i, std::int32_t j, int axis, bool high, double g) {
    const auto a = static_cast<std::size_t>(axis);
    const double upward =
        g * (temperature[static_cast<std::size_t>(i)] - temperature[static_cast<std::size_t>(j)]) * (high ? 1 : -1);
    flux[static_cast<std::size_t>(i - c.begin)][a] += static_cast<float>(0.5 * upward / area[a]);
  });
  std::vector<float> magnitude(flux.size());
  std::transform(flux.begin(), flux.end(), magnitude.begin(), [](const auto& q) { return std::hypot(q[0], q[1], q[2]); });
  return magnitude;
}

}  // namespace osteon::solve
