#pragma once
/// @file
/// The keys of a [[probe]].

namespace osteon::job {

class key_table;

/// Register the keys.
void register_probe_keys(key_table& job);

}  // namespace osteon::job
