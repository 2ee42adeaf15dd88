#pragma once
/// @file
/// What a flow job answers.
#include <osteon/job/answers.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

std::vector<answer> flow_answers();

}  // namespace osteon::physics
