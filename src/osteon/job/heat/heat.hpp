#pragma once
/// @file
/// The row of physics = "heat".
#include <osteon/job/physics.hpp>

namespace osteon::job {

const physics& heat();

}  // namespace osteon::job
