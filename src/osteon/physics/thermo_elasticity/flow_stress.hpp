#pragma once
/// @file
/// Fluid, heat and stress in one job: thermo_elasticity with a table [flow].
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Whether the temperatures of a job of thermo_elasticity are those of a flow.
bool is_with_flow(const spec& job);

/// The job of physics = "flow" that is its first stage: the flow and the temperature of fluid and solid.
spec flow_stage_of(const spec& job);

/// What is wrong with the keys, as far as it can be said without the image.
void check_flow_stage(const spec& job, std::vector<problem>& problems);

/// Flow, temperature of fluid and solid, and the stress of the solid by it. @collective on part.where.comm
physics_result run_flow_stress(const spec& job, const local_model& part, const numerics::options& how, log_sink& log);

/// The faults of its loads on fluid and solid. @throws as run_flow_stress @collective on part.where.comm
void check_flow_stress_on(const spec& job, const local_model& part, log_sink& log);

}  // namespace osteon::physics
