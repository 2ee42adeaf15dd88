#pragma once
/// @file
/// Failures of srun as a launcher that are not visible from outside: clusters that wait for one another, processes that
/// do not find each other.
#include <bridge/launch/join_plan.hpp>

namespace osteon::bridge::launch {

/// Advice for the user before the start; usually none.
std::vector<std::string> srun_advice(const join_plan& plan);

}  // namespace osteon::bridge::launch
