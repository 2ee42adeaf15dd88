#include <osteon/base/at.hpp>
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>

namespace osteon::physics {

flow_entries buoyancy_force(const through_problem& problem, const open_flow_cells& open, const buoyancy& weight,
                            const std::vector<double>& temperature_K, const flow_units& units) {
  const flow_cells& cells = open.cells;
  const std::int64_t stride = cells.stride();
  // temperature relative to the reference, for each cell of the solver and each ghost
  std::vector<double> above(at(stride));
  for (const voxel::run& r : problem.cells.runs()) {
    const std::int32_t first = cells.numbers.find(r.z, r.y, r.x);
    if (first < 0) continue;
    for (std::int32_t n = 0; n < r.length; ++n) above[at(first + n)] = temperature_K[at(r.first + n)] - weight.reference_K;
  }
  std::vector<bool> beyond(at(stride));
  for (const std::int32_t i : cells.beyond) beyond[at(i)] = true;
  cells.grid.links.exchange(above.data());
  constexpr double mm_per_m = 1e-3;  // factor from Pa/m to Pa/mm
  std::array<double, 3> force{};     // force per kelvin in units of the solver
  for (int a = 0; a < 3; ++a)
    force[at(a)] = -problem.density_kg_per_m3 * weight.expansion_per_K * weight.gravity_m_per_s2[a] * mm_per_m *
                   units.length_mm / units.pressure_Pa;
  flow_entries result;
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (beyond[at(i)]) return;
    for (std::size_t c = 0; c < 3; ++c)
      if (force[c] != 0 && near[2 * c] >= 0 && cells.has_face(c, i))
        result.emplace_back(static_cast<std::int64_t>(c) * stride + i,
                            force[c] * (above[at(i)] + above[at(near[2 * c])]) / 2);
  });
  for (const kernel::stokes_open_face& f : cells.open_faces)
    if (const double own = force[at(f.axis)]; own != 0)
      result.emplace_back(f.axis * stride + f.cell, own * above[at(f.pressure)] / 2);
  return result;
}

}  // namespace osteon::physics
