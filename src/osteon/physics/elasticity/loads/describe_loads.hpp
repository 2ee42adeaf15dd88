#pragma once
/// @file
/// Description of the sets and loads of a job, for scene.json and `osteon check --loads`.
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/job/load_scene.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/elasticity/loads/load_cases.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <span>
#include <string>

namespace osteon::physics {

/// Describe the loads of all cases, and label the voxels at the sets of the loads. A voxel in several sets has the label
/// of the smallest set.
/// @param answers results of read_loads for each case: reactions, and the scaled load of a test @collective
load_scene describe_loads(const node_sets& sets, std::span<const load_case> cases,
                          std::span<const nlohmann::ordered_json> answers);

/// Evaluate the sets of a job, and the supports and forces of its load cases. Lists have the order [z, y, x].
///
/// The keys of the result are:
/// - `sets`: number, name, indices of [[set]] entries (from 0), number of nodes, bounding box and mean position, or
///   `fault` for an empty set;
/// - `cases`: supports (number of the set, constrained axes, displacement) and forces (number of the set, kind, mean point
/// of
///   action, sum). A case with invalid loads is omitted;
/// - `necks`: number of voxels and the first voxel of find_necks(); null for models too large to search;
/// - `shape`, `spacing_mm` and `origin_mm` of the model.
///
/// @param read creates the whole model on one rank @param volume NRRD file for the set numbers of the voxels; empty: no file
/// @return null for a homogenisation (a homogenisation has no loads)
/// @throws machine_error if the file cannot be written
nlohmann::ordered_json resolve_loads(const spec& job, const std::function<local_model()>& read, const std::string& volume);

}  // namespace osteon::physics
