#pragma once
/// @file
/// What the studies add to the command line of osteon, which lists `add_commands` where it is built with them
/// (src/app/CMakeLists.txt).
#include <app/registry.hpp>

namespace osteon::studies {

void add_commands(app::registry& commands);

/// Tables of a paper; those of two studies have one name.
void add_net_paper(app::registry& commands);

}  // namespace osteon::studies
