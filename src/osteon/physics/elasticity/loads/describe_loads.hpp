#pragma once
/// @file
/// Supports and forces of load cases, for scene.json.
#include <osteon/job/load_scene.hpp>
#include <osteon/physics/elasticity/loads/load_cases.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <span>

namespace osteon::physics {

/// Describe the loads of all cases, and mark the voxels at their sets. A voxel of several sets belongs to the smallest.
/// @param answers of each case, from read_loads: reactions, and the load to which a test was scaled @collective
load_scene describe_loads(const node_sets& sets, std::span<const load_case> cases,
                          std::span<const nlohmann::ordered_json> answers);

}  // namespace osteon::physics
