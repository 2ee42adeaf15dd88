#pragma once
/// @file
/// The row of physics = "flow".
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& flow();

}  // namespace osteon::physics
