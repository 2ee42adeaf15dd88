#pragma once
/// @file
/// Morphometry of parts of an image: cortical and trabecular bone, for example.
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <vector>

namespace osteon::job {

/// Measure the compartments of the [[compartment]] tables (docs/reference/morphometry.md). The result has a member for each
/// name. Values are independent of the number of ranks.
/// @param solid 1 or 0, shape of part.where.owned
/// @throws data_error on all ranks if a compartment covers the whole image, or two compartments share voxels and neither
/// compartment is total
/// @collective on part.where.comm @cost memory: 4 bytes per voxel of the rank's box for each label image, and temporarily 40
/// bytes per voxel
nlohmann::ordered_json measure_compartments(const spec& job, const local_model& part, const std::vector<float>& solid);

}  // namespace osteon::job
