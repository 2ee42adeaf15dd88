#pragma once
/// @file
/// The keys of temperatures of faces, of conditions on faces and of steps in time.
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::job {
class key_table;
}

namespace osteon::physics {

/// Register the keys. Each physics with conditions on faces does so.
void register_heat_keys(key_table& job);

}  // namespace osteon::physics
