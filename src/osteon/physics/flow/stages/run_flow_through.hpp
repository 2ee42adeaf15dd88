#pragma once
/// @file
/// The stage of a flow job between openings.
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// @param temperature_K receives the temperature of each active cell if flow.heat is true and the flow has converged; null:
/// not requested
/// @collective on part.where.comm
physics_result run_flow_through(const spec& job, const local_model& part, const numerics::options& solver_options,
                                log_sink& log, std::vector<double>* temperature_K = nullptr);

/// Check the conditions of the job on the fluid. @throws errors of solve_flow_through @collective on part.where.comm
void check_flow_through_on(const spec& job, const local_model& part);

}  // namespace osteon::physics
