#pragma once
/// @file
/// Names of files that begin with a dash.
#include <string>
#include <vector>

namespace osteon::app {

/// Write `-x.toml` as `./-x.toml`, so that neither this command line nor a program that osteon starts takes it for an
/// option. This applies to every word behind `--`, and to existing job files before it. Words of `join` and `place` are the
/// command line of another program, and stay.
void protect_dashed_names(std::vector<std::string>& words);

}  // namespace osteon::app
