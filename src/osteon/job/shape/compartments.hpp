#pragma once
/// @file
/// The shape of parts of an image: cortical and trabecular bone, for example.
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <vector>

namespace osteon::job {

/// What [[compartment]] asks for, by name: docs/reference/morphometry.md. Nothing depends on the number of ranks.
/// @param solid 1 or 0, shape of part.where.owned
/// @throws data_error on all ranks if a compartment is all of the image, or two share voxels, of which none is total
/// @collective on part.where.comm @cost memory: 4 bytes a voxel of the rank's box for each label image, and 40 for a while
nlohmann::ordered_json measure_compartments(const spec& job, const local_model& part, const std::vector<float>& solid);

}  // namespace osteon::job
