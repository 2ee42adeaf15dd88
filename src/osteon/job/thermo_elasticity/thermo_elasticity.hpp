#pragma once
/// @file
/// The row of physics = "thermo_elasticity".
#include <osteon/job/physics.hpp>

namespace osteon::job {

const physics& thermo_elasticity();

}  // namespace osteon::job
