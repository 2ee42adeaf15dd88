#pragma once
/// @file
/// Supports and forces of load cases, for scene.json.
#include <osteon/job/elasticity/load_cases.hpp>
#include <osteon/job/load_scene.hpp>
#include <span>

namespace osteon::job {

/// Describe the loads of all cases, and mark the voxels at their sets. A voxel of several sets belongs to the smallest.
/// @param answers of each case, as read_loads gives them: reactions, and the load that a test was scaled to @collective
load_scene describe_loads(const node_sets& sets, std::span<const load_case> cases,
                          std::span<const nlohmann::ordered_json> answers);

}  // namespace osteon::job
