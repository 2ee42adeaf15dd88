#pragma once
/// @file
/// What acts on a specimen, and where: scene.json and sets.nrrd, from which reports and pictures are made.
#include <nlohmann/json.hpp>
#include <osteon/job/load_scene.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/outputs/output_paths.hpp>

namespace osteon::job {

/// Write scene.json, and sets.nrrd if there are sets.
/// @param summary of the first rank: what is shown and its range @return their names, for `files` of the summary; on the
/// first rank @throws machine_error @collective on part.where.comm
nlohmann::ordered_json write_scene(const output_paths& paths, const spec& job, const local_model& part,
                                   const load_scene& loads, const nlohmann::ordered_json& summary);

}  // namespace osteon::job
