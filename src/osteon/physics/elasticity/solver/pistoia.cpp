#include <osteon/physics/elasticity/solver/pistoia.hpp>

#include <cmath>
#include <cstdint>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/percentile.hpp>

namespace osteon::physics {

std::vector<float> effective_strain(const voxel::material_table& materials, std::span<const material_number> material,
                                    std::span<const float> sed) {
  std::vector<float> strain(sed.size());
  for_each(static_cast<std::int64_t>(sed.size()), [&](std::int64_t i) {
    const auto c = at(i);
    strain[c] = static_cast<float>(std::sqrt(2.0 * sed[c] / materials[material[c]].youngs_modulus_MPa));
  });
  return strain;
}

pistoia_estimate pistoia(MPI_Comm comm, std::span<const float> strain, double load_N, double critical_strain,
                         double critical_volume) {
  const double fraction = 1 - critical_volume;
  const double reached = comm::percentiles(comm, strain, std::span(&fraction, 1)).front();
  return {critical_strain / reached, load_N * (critical_strain / reached)};
}

}  // namespace osteon::physics
