#pragma once
/// @file
/// Failures of srun as a launcher that cannot be observed from outside. In such a failure, clusters wait for each other, or
/// processes do not find each other.
#include <bridge/launch/join_plan.hpp>

namespace osteon::bridge::launch {

/// Advice for the user before the start. The list is usually empty.
std::vector<std::string> srun_advice(const join_plan& plan);

}  // namespace osteon::bridge::launch
