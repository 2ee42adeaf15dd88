#pragma once
/// @file
/// What a flow job answers.
#include <osteon/job/answers.hpp>
#include <vector>

namespace osteon::job {

std::vector<answer> flow_answers();

}  // namespace osteon::job
