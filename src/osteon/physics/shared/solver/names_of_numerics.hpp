#pragma once
/// @file
/// The solvers of the physics use the names of numerics without qualification.
namespace osteon::numerics {}
namespace osteon::physics {
using namespace numerics;
}
