#pragma once
/// @file
/// A temperature in time.
#include <osteon/job/physics.hpp>

namespace osteon::job {

/// Faults of the keys that belong to it.
void check_heat_in_time(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::job
