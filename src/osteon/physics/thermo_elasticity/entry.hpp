#pragma once
/// @file
/// Entry of physics = "thermo_elasticity" in the table of physics, and stage of the solver.
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& thermo_elasticity();

/// Solve the heat problem, and then solve the elastic problem with the thermal load. @collective on part.where.comm
physics_result run_thermo_elasticity(const spec& job, const local_model& part, const numerics::options& options,
                                     log_sink& log);

/// Check the loads of a job on its solid. @throws errors of run_thermo_elasticity @collective on part.where.comm
void check_thermo_elasticity(const spec& job, const local_model& part);

}  // namespace osteon::physics
