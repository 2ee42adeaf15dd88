#include <osteon/physics/flow/keys/fluid_of.hpp>

#include <array>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

voxel::run_set fluid_of(const spec& job, const local_model& part) {
  if (!physics_of(job).rules(job).has_others) return part.cells;
  const std::array<material_number, 1> fluid{1};
  return fluid_cells(part.cells, part.material, fluid);
}

}  // namespace osteon::physics
