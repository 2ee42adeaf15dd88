#pragma once
/// @file
/// Faults of a flow job, as far as they can be told without the image.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

void check_flow(const spec& job, std::vector<problem>& problems);

/// Keys of a flow in a job of another physics.
void refuse_flow(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
