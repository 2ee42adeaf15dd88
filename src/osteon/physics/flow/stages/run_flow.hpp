#pragma once
/// @file
/// The stage of a flow job.
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// By its test. @collective on part.where.comm
physics_result run_flow(const spec& job, const local_model& part, const numerics::options& how, log_sink& log);

/// The faults of a flow job on its fluid. @throws as run_flow @collective on part.where.comm
void check_flow_on(const spec& job, const local_model& part);

}  // namespace osteon::physics
