#pragma once
/// @file
/// Failures with srun as a launcher that are not visible from outside: clusters that wait for one another, processes that
/// do not find each other.
#include <bridge/launch/join_plan.hpp>

namespace osteon::bridge::launch {

/// Sentences for the user, before anything is started; usually none.
std::vector<std::string> srun_advice(const join_plan& plan);

}  // namespace osteon::bridge::launch
