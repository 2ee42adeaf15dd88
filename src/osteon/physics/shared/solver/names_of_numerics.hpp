#pragma once
/// @file
/// Names of numerics for the solvers of the physics. With this file, the solvers need no qualified names.
namespace osteon::numerics {}
namespace osteon::physics {
using namespace numerics;
}
