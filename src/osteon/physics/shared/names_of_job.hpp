#pragma once
/// @file
/// A physics uses the names of job and numerics without qualification.
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
namespace osteon::job {}
namespace osteon::physics {
using namespace job;
}
