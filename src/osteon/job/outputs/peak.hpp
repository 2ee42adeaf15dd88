#pragma once
/// @file
/// Position of the maximum of the displayed field.
#include <nlohmann/json.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_result.hpp>

namespace osteon::job {

/// The largest value, and the centre (z, y, x) of its voxel. If several voxels have this value, the first voxel in the order
/// z, y, x is used. Null if the result has no displayed field. @collective on part.where.comm
nlohmann::ordered_json peak_of(const local_model& part, const physics_result& result);

}  // namespace osteon::job
