#pragma once
/// @file
/// What a test of dispersion needs.
#include <osteon/job/physics.hpp>

namespace osteon::job {

/// The keys of dispersion, or one of them without it.
void check_flow_dispersion(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::job
