#pragma once
/// @file
/// Completion of the command line in shells.
#include <app/command_tree.hpp>
#include <string>

namespace osteon::app {

/// Scripts that a shell reads once. Names of files are offered wherever a value has no list of choices.
std::string bash_completion(const command_entry& program);
std::string zsh_completion(const command_entry& program);
std::string fish_completion(const command_entry& program);

}  // namespace osteon::app
