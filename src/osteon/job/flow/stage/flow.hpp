#pragma once
/// @file
/// The row of physics = "flow".
#include <osteon/job/physics.hpp>

namespace osteon::job {

const physics& flow();

}  // namespace osteon::job
