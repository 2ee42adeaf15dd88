#pragma once
/// @file
/// The table entry of physics = "thermo_elasticity", and its stage.
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& thermo_elasticity();

/// Solve steady conduction, and the elastic problem loaded by its temperatures. @collective on part.where.comm
physics_result run_thermo_elasticity(const spec& job, const local_model& part, const numerics::options& how, log_sink& log);

/// Check its loads on the solid. @throws as run_thermo_elasticity @collective on part.where.comm
void check_thermo_elasticity(const spec& job, const local_model& part);

}  // namespace osteon::physics
