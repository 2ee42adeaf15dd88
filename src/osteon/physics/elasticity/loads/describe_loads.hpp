#pragma once
/// @file
/// Description of the supports and forces of load cases for scene.json.
#include <osteon/job/load_scene.hpp>
#include <osteon/physics/elasticity/loads/load_cases.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <span>

namespace osteon::physics {

/// Describe the loads of all cases, and label the voxels at their sets. The label of a voxel in several sets is that of the
/// smallest set.
/// @param answers results of read_loads for each case: reactions, and the scaled load of a test @collective
load_scene describe_loads(const node_sets& sets, std::span<const load_case> cases,
                          std::span<const nlohmann::ordered_json> answers);

}  // namespace osteon::physics
