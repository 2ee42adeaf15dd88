#pragma once
/// @file
/// Commands of the studies on the command line of osteon. osteon calls `add_commands` if it is built with the studies
/// (src/app/CMakeLists.txt).
#include <app/registry.hpp>

namespace osteon::studies {

void add_commands(app::registry& commands);

/// Tables of a paper. Two studies share this command name.
void add_net_paper(app::registry& commands);

}  // namespace osteon::studies
