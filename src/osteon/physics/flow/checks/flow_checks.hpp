#pragma once
/// @file
/// Checks of the keys of a flow job. The checks do not need the image. Each function appends the faults of the keys to
/// `problems`. The function check_flow calls all other functions.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

void check_flow(const spec& job, std::vector<problem>& problems);

/// Check the [[boundary]] tables and the keys of the test flow.
void check_openings(const spec& job, std::vector<problem>& problems);

/// Return true if a velocity, a flow rate, a pressure drop or a sliding wall drives the fluid. If only heat drives the
/// fluid, the result is false.
bool conditions_drive(const spec& job);

/// Check the table [transient] of the test flow, and the keys of [flow] for time steps.
void check_time_steps(const spec& job, std::vector<problem>& problems);

/// Check the keys of transient heat.
void check_heat_in_time(const spec& job, std::vector<problem>& problems);

/// Check the keys and the conditions of heat with flow.
void check_flow_heat(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
