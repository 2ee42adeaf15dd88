#pragma once
/// @file
/// Declaration of the options of commands. Only command_line.cpp and registry.cpp include CLI11, because each including file
/// needs several seconds more to compile.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace osteon::app {

/// Handle of an option or positional argument. Each member function returns the handle, so that calls can be chained.
class option {
 public:
  explicit option(CLI::Option* of) : of_(of) {}

  option required();
  /// Show the present value of the target as the default in the help.
  option show_default();

  option positive();
  option non_negative();
  option number();
  /// Accept only values of a closed interval.
  option between(int low, int high);
  option between(std::int64_t low, std::int64_t high);
  option between(double low, double high);
  option one_of(std::initializer_list<std::string> values);
  option one_of(std::initializer_list<int> values);

  /// Set the number of values after the name.
  option expected(int values);
  option expected(int least, int most);
  /// Accept a list as one word with this separator.
  option delimiter(char between);
  /// Accept one entry of a list per occurrence of the option.
  option repeatable(int values_of_an_entry = 1);

  option needs(option other);

 private:
  CLI::Option* of_;
};

/// Handle of a command that `registry::add` created.
class command {
 public:
  explicit command(CLI::App* of) : of_(of) {}

  /// @param names option names such as "-n,--ranks"; a name without dashes denotes a positional argument
  /// @param target variable for the value, which may contain the default and must exist until the command has run
  template <class Value>
  option add_option(const std::string& names, Value& target, const std::string& description);

  /// @param names option names such as "--light"; a name such as "!--plain" sets the target to false
  option add_flag(const std::string& names, bool& target, const std::string& description);

  /// List these options under a separate heading of the help.
  void set_heading(const std::string& heading, std::initializer_list<const char*> options);

  /// Set the end of the help text, which contains at least one example.
  void footer(const std::string& text);

  /// Make the subcommand optional.
  void allow_one_below();

  /// Accept all words and options, for a command that this build does not contain.
  void accept_all_words();

 private:
  friend class registry;
  CLI::App* of_;
};

}  // namespace osteon::app
