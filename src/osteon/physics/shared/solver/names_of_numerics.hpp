#pragma once
/// @file
/// Makes the names of numerics available to the solvers of the physics without qualification.
namespace osteon::numerics {}
namespace osteon::physics {
using namespace numerics;
}
