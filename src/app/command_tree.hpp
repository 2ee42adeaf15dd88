#pragma once
/// @file
/// The command line as a value: what completion in shells and the manual page are made from.
#include <string>
#include <vector>

namespace osteon::app {

/// An option, or an argument by position.
struct option_entry {
  std::vector<std::string> names;  ///< with their dashes; the one name of an argument by position
  std::string value;               ///< what follows the name, such as "TEXT"; empty for a flag
  std::string description;
  std::vector<std::string> choices;  ///< the values that are allowed, where these are a list
};

/// A command and what is below it. The name of the outermost is that of the program.
struct command_entry {
  std::string name, description, footer;
  std::vector<option_entry> options, arguments;
  std::vector<command_entry> below;
};

}  // namespace osteon::app
