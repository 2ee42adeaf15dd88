#pragma once
/// @file
/// The stage of a transient flow job.
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Convert the table [transient] to the type that the solver uses. @collective local
flow_time_plan make_flow_time_plan(const spec& job);

/// @collective on part.where.comm
physics_result run_flow_transient(const spec& job, const local_model& part, const numerics::options& solver_options,
                                  log_sink& log);

/// Check the conditions and the time steps of the job on the fluid. @throws errors of solve_transient_flow @collective on
/// part.where.comm
void check_flow_transient_on(const spec& job, const local_model& part);

}  // namespace osteon::physics
