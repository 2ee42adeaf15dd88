#pragma once
/// @file
/// The tests of permeability, and of dispersion in the flow.
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Create the flow problem of a job. All active voxels of the imported model are fluid. @collective local
flow_problem make_flow_problem(const spec& job, const local_model& part);

/// Solve steady Stokes flow through the fluid of a job. The direction is the axis of the job, or all axes. @collective on
/// part.where.comm
physics_result run_permeability(const spec& job, const local_model& part, const numerics::options& solver_options,
                                log_sink& log);

/// Check the job on its fluid. @throws errors of run_permeability @collective on part.where.comm
void check_permeability_on(const spec& job, const local_model& part);

}  // namespace osteon::physics
