#pragma once
/// @file
/// Flow, heat and stress in one job. The job is thermo_elasticity with a table [flow].
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Return true if a flow determines the temperatures of a job with thermo_elasticity.
bool has_flow_stage(const spec& job);

/// Return the job of the first stage. This stage computes the flow, and the temperature of fluid and solid.
spec flow_stage_of(const spec& job);

/// Check the keys of the first stage. The checks do not need the image.
void check_flow_stage(const spec& job, std::vector<problem>& problems);

/// Solve for the flow, for the temperature of fluid and solid, and for the thermal stress of the solid. @collective on
/// part.where.comm
physics_result run_flow_stress(const spec& job, const local_model& part, const numerics::options& options, log_sink& log);

/// Check the loads of a job on fluid and solid. @throws errors of run_flow_stress @collective on part.where.comm
void check_flow_stress_on(const spec& job, const local_model& part, log_sink& log);

}  // namespace osteon::physics
