#pragma once
/// @file
/// Buoyancy in a flow job.
#include <osteon/job/physics.hpp>

namespace osteon::job {

void check_buoyancy(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::job
