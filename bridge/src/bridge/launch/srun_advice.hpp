#pragma once
/// @file
/// Failures of srun as a launcher that cannot be observed from outside. In such a failure, clusters wait for each other, or
/// processes do not find each other.
#include <bridge/launch/join_plan.hpp>

namespace osteon::bridge::launch {

/// Advice for the user before the start; usually empty.
/// True if srun is the launcher of a cluster.
bool is_started_by_srun(const join_cluster& c);

std::vector<std::string> srun_advice(const join_plan& plan);

}  // namespace osteon::bridge::launch
