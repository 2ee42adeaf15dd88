#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/physics/heat/solver/heat_parts.hpp>

namespace osteon::physics {

namespace {

// Call put(number of the first cell, fluxes) for the cells of each plane.
template <class Put>
void flux_by_planes(const heat_problem& problem, std::vector<double> temperature_K, Put put) {
  check_conduction(problem);
  comm::collectively(problem.where.comm, [&] {
    if (temperature_K.size() != problem.material.size())
      throw usage_error(
          fmt::format("heat flux: {} temperatures for {} active cells; pass the temperatures returned by solve_heat",
                      temperature_K.size(), problem.material.size()));
  });
  const auto c = all_cells(problem);
  temperature_K.resize(at(c.size));
  c.links.exchange(temperature_K.data());

  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  const auto stencil = c.stencil<double>();
  const heat_load load = load_of(problem, c, 0, problem.gradient_K_per_mm);
  // The components are computed plane by plane, and therefore need little memory. Insulated faces contribute zero flux to
  // the mean along their axis.
  auto next = c.outer.begin();
  std::vector<std::array<float, 3>> flux;
  for (std::size_t plane = 0; plane + 1 < c.planes.size(); ++plane) {
    const std::int32_t begin = c.planes[plane].cell, end = c.planes[plane + 1].cell;
    flux.assign(at(end - begin), {});
    const auto add = [&](std::int32_t i, int axis, double upward) {
      const auto a = at(axis);
      flux[at(i - begin)][a] += static_cast<float>(0.5 * upward / area[a]);
    };
    const auto part = c.part(static_cast<std::int64_t>(plane), static_cast<std::int64_t>(plane) + 1);
    kernel::visit_faces(stencil, part, [&](std::int32_t i, std::int32_t j, int axis, bool high, double g) {
      const double drop = temperature_K[at(i)] - temperature_K[at(j)];
      if (!c.is_wall(j)) add(i, axis, g * drop * (high ? 1 : -1));
    });
    for (; next != c.outer.end() && next->cell < end; ++next) {
      const outer_face& f = *next;
      const face_drive drive = load.at_face(f);
      const bool wraps = c.periodic[at(f.axis())];  // visit_faces has added all terms except the rise
      const double inward = wraps ? c.conductance(f) * drive.rise_K : inflow(c, f, drive, temperature_K);
      add(f.cell, f.axis(), f.high() ? -inward : inward);
    }
    put(at(begin), flux);
  }
}

}  // namespace

std::vector<float> heat_flux_density(const heat_problem& problem, std::vector<double> temperature_K) {
  std::vector<float> magnitude(problem.material.size());
  flux_by_planes(problem, std::move(temperature_K), [&](std::size_t begin, const auto& flux) {
    std::transform(flux.begin(), flux.end(), magnitude.begin() + static_cast<std::ptrdiff_t>(begin),
                   [](const auto& q) { return std::hypot(q[0], q[1], q[2]); });
  });
  return magnitude;
}

std::vector<float> heat_flux_vectors(const heat_problem& problem, std::vector<double> temperature_K) {
  std::vector<float> vectors(3 * problem.material.size());
  flux_by_planes(problem, std::move(temperature_K), [&](std::size_t begin, const auto& flux) {
    for (std::size_t i = 0; i < flux.size(); ++i)
      std::copy(flux[i].begin(), flux[i].end(), vectors.begin() + static_cast<std::ptrdiff_t>(3 * (begin + i)));
  });
  return vectors;
}

}  // namespace osteon::physics
