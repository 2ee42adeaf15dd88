#pragma once
/// @file
/// The subcommands of `osteon net` that ask a network (commands.hpp has the others).
#include <app/registry.hpp>

namespace osteon::app {

void add_net_conflicts(registry& commands);
void add_net_simulate(registry& commands);
void add_net_draw(registry& commands);

}  // namespace osteon::app
