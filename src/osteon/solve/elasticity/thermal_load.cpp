#include <osteon/solve/elasticity/thermal_load.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/kernel/elasticity/element_stiffness.hpp>

namespace osteon::solve {

std::vector<double> thermal_strain(const elasticity_problem& problem, std::span<const double> temperature_K,
                                   std::span<const double> expansion_per_K, double reference_K) {
  if (temperature_K.size() != problem.material.size())
    throw usage_error(fmt::format("{} temperatures for {} active cells; give one for each", temperature_K.size(),
                                  problem.material.size()));
  if (expansion_per_K.size() != problem.materials->size())
    throw usage_error(fmt::format("{} coefficients of thermal expansion for {} materials; give one for each, void included",
                                  expansion_per_K.size(), problem.materials->size()));
  std::vector<double> strain(temperature_K.size());
  for (std::size_t cell = 0; cell < strain.size(); ++cell) {
    const material_number m = problem.material[cell];
    strain[cell] = expansion_per_K[m] * (temperature_K[cell] - reference_K);
    if (!std::isfinite(strain[cell]))
      throw data_error(
          fmt::format("cell {} is at {} K, its material {} expands by {} per K from {} K on; all must be finite", cell,
                      temperature_K[cell], m, expansion_per_K[m], reference_K));
  }
  return strain;
}

std::vector<nodal_force> thermal_forces(const elasticity_problem& problem, std::span<const double> strain) {
  if (strain.size() != problem.material.size())
    throw usage_error(
        fmt::format("{} thermal strains for {} active cells; give one for each", strain.size(), problem.material.size()));
  std::vector<double> bulk;  // three times the bulk modulus [MPa]
  for (const voxel::material& m : *problem.materials) {
    const kernel::lame lame = kernel::lame_of(m.youngs_modulus_MPa, m.poisson_ratio);
    bulk.push_back(3 * lame.lambda + 2 * lame.mu);
  }
  // First the sums of pressures, times the areas only at the end: between cells that press alike nothing is left over.
  std::vector<vector3> sum(static_cast<std::size_t>(problem.nodes.size()));
  for (const voxel::run& r : problem.cells.runs()) {
    std::int32_t first[4];
    for (int row = 0; row < 4; ++row) first[row] = problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x);
    for (std::int32_t e = 0; e < r.length; ++e) {
      const auto cell = static_cast<std::size_t>(r.first + e);
      const double pressure = bulk[problem.material[cell]] * strain[cell];
      for (int a = 0; a < 8; ++a) {
        vector3& at = sum[static_cast<std::size_t>(first[a / 2] + (a & 1) + e)];
        at.z += a & 4 ? pressure : -pressure;
        at.y += a & 2 ? pressure : -pressure;
        at.x += a & 1 ? pressure : -pressure;
      }
    }
  }
  const vector3 h = problem.spacing_mm, quarter_area{h.y * h.x / 4, h.z * h.x / 4, h.z * h.y / 4};
  std::vector<nodal_force> forces;
  for (std::size_t n = 0; n < sum.size(); ++n)
    if (const vector3& s = sum[n]; s != vector3{})
      forces.push_back({static_cast<std::int32_t>(n), {s.z * quarter_area.z, s.y * quarter_area.y, s.x * quarter_area.x}});
  return forces;
}

}  // namespace osteon::solve
