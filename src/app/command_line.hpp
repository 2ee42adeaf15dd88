#pragma once
/// @file
/// What commands say of their options. A narrow door to CLI11, which takes a compiler several seconds in every file that
/// includes it: only command_line.cpp and registry.cpp do.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace osteon::app {

/// An option of a command, or an argument by position. A handle; each call returns it, so that calls can be chained.
class option {
 public:
  explicit option(CLI::Option* of) : of_(of) {}

  option required();
  /// The help shows the value that the target has now.
  option show_default();

  option positive();
  option non_negative();
  option number();
  /// Both ends are allowed.
  option between(int low, int high);
  option between(std::int64_t low, std::int64_t high);
  option between(double low, double high);
  option one_of(std::initializer_list<std::string> values);
  option one_of(std::initializer_list<int> values);

  /// So many values follow the name.
  option expected(int values);
  option expected(int least, int most);
  /// A list is one word, with this between its values.
  option delimiter(char between);
  /// The option is given once for each entry of a list.
  option repeatable(int values_of_an_entry = 1);

  option needs(option other);

 private:
  CLI::Option* of_;
};

/// A command below `osteon`, as `registry::add` makes it. A handle.
class command {
 public:
  explicit command(CLI::App* of) : of_(of) {}

  /// @param names such as "-n,--ranks"; without dashes, an argument by position
  /// @param target where the value goes; it must live until the command has run, and may hold the default
  template <class Value>
  option add_option(const std::string& names, Value& target, const std::string& description);

  /// @param names such as "--light"; "!--plain" makes the target false
  option add_flag(const std::string& names, bool& target, const std::string& description);

  /// What the help ends with: an example, at least.
  void footer(const std::string& text);

  /// One of the commands below this one may be given.
  void allow_one_below();

  /// Accept every word and option: of a command that this build does not contain, no option is known.
  void accept_all_words();

 private:
  friend class registry;
  CLI::App* of_;
};

}  // namespace osteon::app
