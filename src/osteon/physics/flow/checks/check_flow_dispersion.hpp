#pragma once
/// @file
/// What a test of dispersion needs.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The keys of dispersion, or one of them without it.
void check_flow_dispersion(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
