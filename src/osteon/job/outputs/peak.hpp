#pragma once
/// @file
/// Where what a job shows is largest.
#include <nlohmann/json.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_result.hpp>

namespace osteon::job {

/// The largest value, and the middle of its voxel, z, y, x; of equal ones that of the first voxel in this order. Null if
/// nothing is shown. @collective on part.where.comm
nlohmann::ordered_json peak_of(const local_model& part, const physics_result& result);

}  // namespace osteon::job
