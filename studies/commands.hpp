#pragma once
/// @file
/// Commands of the studies on the command line of osteon. If osteon is built with the studies, osteon calls `add_commands`
/// (src/app/CMakeLists.txt).
#include <app/registry.hpp>

namespace osteon::studies {

void add_commands(app::registry& commands);

/// Tables of a paper. Two studies use this name of a command.
void add_net_paper(app::registry& commands);

}  // namespace osteon::studies
