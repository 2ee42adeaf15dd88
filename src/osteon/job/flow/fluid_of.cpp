#include <osteon/job/flow/fluid_of.hpp>

#include <array>
#include <osteon/job/physics.hpp>
#include <osteon/solve/flow/permeability.hpp>

namespace osteon::job {

voxel::run_set fluid_of(const spec& job, const local_model& part) {
  if (!physics_of(job).rules(job).has_others) return part.cells;
  const std::array<material_number, 1> fluid{1};
  return solve::fluid_cells(part.cells, part.material, fluid);
}

}  // namespace osteon::job
