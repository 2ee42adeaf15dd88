#pragma once
/// @file
/// The checks of heat with flow.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// What is wrong with the keys and the conditions of heat of a flow job.
void check_flow_heat(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
