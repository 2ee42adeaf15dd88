#pragma once
/// @file
/// Description of the loads of a physics for scene.json.
#include <nlohmann/json.hpp>
#include <osteon/io/label_nrrd.hpp>
#include <vector>

namespace osteon::job {

/// Positions and vectors are [z, y, x].
struct load_scene {
  /// number, name, nodes, box and mean position of each set
  nlohmann::ordered_json sets = nlohmann::ordered_json::array();
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();       ///< supports and forces of each load case
  nlohmann::ordered_json boundaries = nlohmann::ordered_json::array();  ///< conditions on faces and openings
  std::vector<io::label_run> runs;                                      ///< voxels of this rank that have nodes in a set
};

}  // namespace osteon::job
