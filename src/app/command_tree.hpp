#pragma once
/// @file
/// Description of the command line as a value. Shell completions and the manual page are generated from this value.
#include <string>
#include <vector>

namespace osteon::app {

/// Option or positional argument.
struct option_entry {
  std::vector<std::string> names;  ///< names of an option with dashes, or the name of a positional argument
  std::string value;               ///< type of the value, such as "TEXT"; empty for a flag
  std::string description;
  std::vector<std::string> choices;  ///< allowed values, if the option has a list of values
};

/// Command and its subcommands. The outermost command has the name of the program.
struct command_entry {
  std::string name, description, footer;
  std::vector<option_entry> options, arguments;
  std::vector<command_entry> below;
};

}  // namespace osteon::app
