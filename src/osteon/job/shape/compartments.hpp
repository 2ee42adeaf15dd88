#pragma once
/// @file
/// Morphometry of parts of an image, for example of cortical and trabecular bone.
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <vector>

namespace osteon::job {

/// Measure the compartments of the tables [[compartment]] (docs/reference/morphometry.md). The result has a member for the
/// name of each compartment. Values are independent of the number of ranks.
/// @param solid 1 for solid, 0 for empty space, shape of part.where.owned
/// @throws data_error on all ranks if a compartment covers the whole image, or if two compartments have common voxels and
/// neither compartment is total
/// @collective on part.where.comm @cost memory of 4 bytes per voxel of the rank's box for each label image, and temporarily
/// 40 bytes per voxel
nlohmann::ordered_json measure_compartments(const spec& job, const local_model& part, const std::vector<float>& solid);

}  // namespace osteon::job
