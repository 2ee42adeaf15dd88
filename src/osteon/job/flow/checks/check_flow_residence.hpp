#pragma once
/// @file
/// What a residence time needs.
#include <osteon/job/physics.hpp>

namespace osteon::job {

/// flow.residence_time, as far as it can be told without the image.
void check_flow_residence(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::job
