#pragma once
/// @file
/// The row of physics = "flow".
#include <osteon/job/physics.hpp>

namespace osteon::job {

const physics_entry& flow();

}  // namespace osteon::job
