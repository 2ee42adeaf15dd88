#pragma once
/// @file
/// The checks of heat with flow.
#include <osteon/job/physics.hpp>

namespace osteon::job {

/// What is wrong with the keys and the conditions of heat of a flow job.
void check_flow_heat(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::job
