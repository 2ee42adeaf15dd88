#pragma once
/// @file
/// Loads on a specimen and their positions. The files scene.json and sets.nrrd contain these data for reports and pictures.
#include <nlohmann/json.hpp>
#include <osteon/job/load_scene.hpp>
#include <osteon/job/local_model.hpp>
#include <string>

namespace osteon::job {

/// Files that describe the scene of a run, in addition to the files of output_paths.
struct scene_paths {
  explicit scene_paths(const std::string& directory);
  std::string scene, sets;
  std::string labelled;  ///< the picture with labels, which is written with the report
};

/// Write scene.json. If there are sets, also write sets.nrrd.
/// @param summary on the first rank: displayed field and range @return on the first rank: names of the files, for `files` of
/// the summary @throws machine_error @collective on part.where.comm
nlohmann::ordered_json write_scene(const std::string& directory, const spec& job, const local_model& part,
                                   const load_scene& loads, const nlohmann::ordered_json& summary);

}  // namespace osteon::job
