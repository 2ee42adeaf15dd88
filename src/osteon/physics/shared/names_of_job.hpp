#pragma once
/// @file
/// Names of job and numerics for code of a physics. With this file, the code needs no qualified names.
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
namespace osteon::job {}
namespace osteon::physics {
using namespace job;
}
