#pragma once
/// @file
/// Morphometry of parts of an image: cortical and trabecular bone, for example.
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <vector>

namespace osteon::job {

/// Measure the [[compartment]] tables, by name: docs/reference/morphometry.md. Results are independent of the number of
/// ranks.
/// @param solid 1 or 0, shape of part.where.owned
/// @throws data_error on all ranks if a compartment covers the whole image, or two share voxels and neither is total
/// @collective on part.where.comm @cost memory: 4 bytes per voxel of the rank's box for each label image, and 40 temporarily
nlohmann::ordered_json measure_compartments(const spec& job, const local_model& part, const std::vector<float>& solid);

}  // namespace osteon::job
