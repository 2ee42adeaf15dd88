#pragma once
/// @file
/// What is wrong with the steps in time of a flow, as far as it can be said without the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Check [transient] and the keys of it that [flow] has, of the test flow.
void check_time_steps(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
