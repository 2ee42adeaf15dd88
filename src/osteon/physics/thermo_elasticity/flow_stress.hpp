#pragma once
/// @file
/// Fluid, heat and stress in one job: thermo_elasticity with a table [flow].
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Return true if the temperatures of a thermo_elasticity job are those of a flow.
bool is_with_flow(const spec& job);

/// The flow job of the first stage: the flow and the temperature of fluid and solid.
spec flow_stage_of(const spec& job);

/// Check the keys that do not need the image.
void check_flow_stage(const spec& job, std::vector<problem>& problems);

/// Solve for flow, temperature of fluid and solid, and the thermal stress of the solid. @collective on part.where.comm
physics_result run_flow_stress(const spec& job, const local_model& part, const numerics::options& how, log_sink& log);

/// Check its loads on fluid and solid. @throws as run_flow_stress @collective on part.where.comm
void check_flow_stress_on(const spec& job, const local_model& part, log_sink& log);

}  // namespace osteon::physics
