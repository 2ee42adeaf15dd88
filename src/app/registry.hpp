#pragma once
/// @file
/// The command line as it is put together: every command adds itself, in the file that does its work.
#include <app/command_line.hpp>
#include <app/command_tree.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace osteon::app {

/// The commands that there are, and which of them was asked for.
class registry {
 public:
  /// @param words the arguments of this program, without its name
  registry(const std::string& description, const std::string& footer, std::vector<std::string> words);
  ~registry();
  registry(const registry&) = delete;
  registry& operator=(const registry&) = delete;

  /// Commands of one subject, such as `osteon bench composite`; one of them must be given.
  void add_group(const std::string& name, const std::string& description, const std::string& footer);

  /// A new command, in a group if one is named; `work` returns the exit code. Options that a command writes to must live
  /// as long as `work`: keep them in a shared pointer that it holds.
  command add(const std::string& group, const std::string& name, const std::string& description, std::function<int()> work);
  command add(const std::string& name, const std::string& description, std::function<int()> work) {
    return add("", name, description, std::move(work));
  }
  /// A command below another command that can also be given alone (`osteon plan draw`).
  command add_below(command parent, const std::string& name, const std::string& description, std::function<int()> work);

  /// `osteon --version` prints what `text` returns.
  void add_version_flag(std::function<std::string()> text);

  /// All that has been added, as a value.
  command_entry tree() const;

  /// Plain numbers behind this option, at most so many, are one value of it (named_axes.hpp).
  void join_numbers(const std::string& option, std::size_t most) { joined_.emplace_back(option, most); }

  /// Arguments of this program, for ranks that it starts.
  const std::vector<std::string>& words() const { return words_; }

  /// Read the command line and do what it asks for. @return the exit code of the program
  int run();

 private:
  std::unique_ptr<CLI::App> cli_;
  std::vector<std::string> words_;
  std::map<std::string, CLI::App*> groups_;
  std::vector<std::pair<CLI::App*, std::function<int()>>> commands_;
  std::vector<std::pair<std::string, std::size_t>> joined_;
};

}  // namespace osteon::app
