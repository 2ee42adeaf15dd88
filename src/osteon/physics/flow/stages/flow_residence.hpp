#pragma once
/// @file
/// The residence time of a flow job: how long the fluid stays.
#include <osteon/base/log_sink.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Adds the mean age of the fluid to the answers, the fields, and the picture if it shows it.
/// @param flow with velocities of faces @collective on part.where.comm
void add_flow_residence(physics_result& result, const spec& job, const local_model& part, const through_problem& problem,
                        const through_solution& flow, const numerics::options& how, log_sink& log);

}  // namespace osteon::physics
