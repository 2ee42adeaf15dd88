#pragma once
/// @file
/// The row of physics = "elasticity".
#include <osteon/job/physics.hpp>

namespace osteon::job {

const physics& elasticity();

}  // namespace osteon::job
