#pragma once
/// @file
/// Makes the names of job and numerics available in physics without qualification.
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
namespace osteon::job {}
namespace osteon::physics {
using namespace job;
}
