#pragma once
/// @file
/// The test dispersion of a flow job.
#include <osteon/job/physics_result.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Dispersion of what the flow along the axis of the job carries; answers and certificate go to `result`.
/// @param flow solved with the velocities on faces, in the direction of the axis alone @collective on problem.where.comm
void add_dispersion(physics_result& result, const spec& job, const flow_problem& problem, const flow_solution& flow,
                    const numerics::options& how, log_sink& log);

}  // namespace osteon::physics
