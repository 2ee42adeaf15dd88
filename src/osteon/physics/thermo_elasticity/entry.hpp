#pragma once
/// @file
/// The row of physics = "thermo_elasticity", and the stage that it runs.
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& thermo_elasticity();

/// Steady conduction, and the elastic problem that its temperatures load. @collective on part.where.comm
physics_result run_thermo_elasticity(const spec& job, const local_model& part, const numerics::options& how, log_sink& log);

/// The faults of its loads on the solid. @throws as run_thermo_elasticity @collective on part.where.comm
void check_thermo_elasticity(const spec& job, const local_model& part);

}  // namespace osteon::physics
