#pragma once
/// @file
/// What a residence time needs.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// flow.residence_time, as far as it can be told without the image.
void check_flow_residence(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
