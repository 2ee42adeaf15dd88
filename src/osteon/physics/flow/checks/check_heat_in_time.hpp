#pragma once
/// @file
/// A temperature in time.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Faults of the keys that belong to it.
void check_heat_in_time(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
