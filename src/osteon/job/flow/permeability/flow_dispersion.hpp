#pragma once
/// @file
/// The test dispersion of a flow job.
#include <osteon/job/physics_result.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/solve/flow/permeability.hpp>

namespace osteon::job {

/// Dispersion of what the flow along the axis of the job carries; answers and certificate go to `result`.
/// @param flow solved with the velocities on faces, in the direction of the axis alone @collective on problem.where.comm
void add_dispersion(physics_result& result, const spec& job, const solve::flow_problem& problem,
                    const solve::flow_solution& flow, const numerics::options& how, log_sink& log);

}  // namespace osteon::job
