#pragma once
/// @file
/// What a flow job shows.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// What is wrong with the keys of [picture] that are of flow, as far as it can be said without the image.
void check_flow_pictures(const spec& job, std::vector<problem>& problems);

/// The same keys in a job of another physics.
void refuse_flow_pictures(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
