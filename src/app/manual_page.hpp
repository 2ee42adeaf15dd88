#pragma once
/// @file
/// The manual page of the program, for man(1).
#include <app/command_tree.hpp>
#include <string>

namespace osteon::app {

/// @param version without the program's name
/// @return text in the macros of man(7)
std::string manual_page(const command_entry& program, const std::string& version);

}  // namespace osteon::app
