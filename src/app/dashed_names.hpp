#pragma once
/// @file
/// File names that begin with a dash.
#include <string>
#include <vector>

namespace osteon::app {

/// Replace `-x.toml` by `./-x.toml`, so that neither this command line nor programs that osteon starts interpret it as an
/// option. This applies to all arguments after `--` and to existing job files before it. Words of `join` and `place` are the
/// command line of another program and remain unchanged.
void protect_dashed_names(std::vector<std::string>& arguments);

}  // namespace osteon::app
