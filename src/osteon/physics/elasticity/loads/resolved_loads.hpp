#pragma once
/// @file
/// The sets, supports and forces of a job evaluated on its solid, before the solve.
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// Find every set of a job and the supports and forces of its cases.
///
/// Returns `sets` (number, name, entries of [[set]] from 0, nodes, box, mean position; an empty set has `fault` instead),
/// `cases` (supports: number of the set, held axes, motion; forces: number of the set, kind, mean point of action, and sum),
/// `necks` (find_necks: number of voxels, the first ones; null for models too large to search), `shape`, `spacing_mm` and
/// `origin_mm` of the model. A case whose loads cannot be made is omitted. Lists are [z, y, x].
/// @param read makes the whole model, on one rank; a homogenisation has no loads and the result is null @param volume file
/// for the numbers of the sets in the voxels (NRRD); empty: none
/// @throws machine_error if the file cannot be written
nlohmann::ordered_json resolve_loads(const spec& job, const std::function<local_model()>& read, const std::string& volume);

}  // namespace osteon::physics
