#pragma once
/// @file
/// File names that begin with a dash.
#include <string>
#include <vector>

namespace osteon::app {

/// Replace `-x.toml` by `./-x.toml`, so that neither this command line nor programs that osteon starts interpret it as an
/// option. The function changes all arguments after `--`, and names of existing job files before `--`. The arguments of
/// `join` and `place` contain the command line of another program and remain unchanged.
void protect_dashed_names(std::vector<std::string>& arguments);

}  // namespace osteon::app
