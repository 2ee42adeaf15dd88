#pragma once
/// @file
/// Position of the maximum of the displayed field.
#include <nlohmann/json.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_result.hpp>

namespace osteon::job {

/// The largest value, and the centre (z, y, x) of the voxel with this value. If several voxels have the largest value, the
/// first of these voxels in the order z, y, x is used. If the result has no displayed field, the function returns null.
/// @collective on part.where.comm
nlohmann::ordered_json peak_of(const local_model& part, const physics_result& result);

}  // namespace osteon::job
