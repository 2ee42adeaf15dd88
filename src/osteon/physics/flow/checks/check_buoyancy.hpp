#pragma once
/// @file
/// Buoyancy in a flow job.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

void check_buoyancy(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
