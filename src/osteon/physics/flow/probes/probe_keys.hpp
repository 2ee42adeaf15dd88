#pragma once
/// @file
/// The keys of a [[probe]].
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::job {
class key_table;
}

namespace osteon::physics {

/// Register the keys.
void register_probe_keys(key_table& job);

}  // namespace osteon::physics
