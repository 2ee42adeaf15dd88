#pragma once
/// @file
/// What the sets, supports and forces of a job are on its solid, before anything is solved.
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// Find every set of a job and the supports and forces of its cases.
///
/// Returns `sets` (number, name, entries of [[set]] from 0, nodes, box, mean position; one that selects nothing has `fault`
/// instead), `cases` (supports: number of the set, held axes, motion; forces: number of the set, kind, the point where they
/// act in the mean, and their sum), `necks` (find_necks: how many voxels, the first; null for models too large to search),
/// `shape`, `spacing_mm` and `origin_mm` of the model. A case whose loads cannot be made is left out. Lists are [z, y, x].
/// @param read makes the whole model, of one rank; a homogenisation has no loads, and null is its answer @param volume file
/// for the numbers of the sets in the voxels (NRRD); empty: none
/// @throws machine_error if the file cannot be written
nlohmann::ordered_json resolve_loads(const spec& job, const std::function<local_model()>& read, const std::string& volume);

}  // namespace osteon::physics
