#pragma once
/// @file
/// Registry of commands. The file that implements a command adds the command.
#include <app/command_line.hpp>
#include <app/command_tree.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace osteon::app {

/// All commands, and selection of the command to execute.
class registry {
 public:
  /// @param arguments arguments of this program without its name
  registry(const std::string& description, const std::string& footer, std::vector<std::string> arguments);
  ~registry();
  registry(const registry&) = delete;
  registry& operator=(const registry&) = delete;

  /// Set the heading of `osteon --help` for the commands that are added after this call.
  void set_heading(const std::string& heading) { heading_ = heading; }

  /// Add a command that requires one of its subcommands, such as `osteon bench composite`.
  void add_group(const std::string& name, const std::string& description, const std::string& footer);

  /// Add a command, to a group if `group` is not empty. `work` returns the exit code. The targets of options must exist as
  /// long as `work`. `work` should therefore capture a shared pointer to the targets.
  command add(const std::string& group, const std::string& name, const std::string& description, std::function<int()> work);
  command add(const std::string& name, const std::string& description, std::function<int()> work) {
    return add("", name, description, std::move(work));
  }
  /// Add a subcommand to a command that is also valid without a subcommand (`osteon plan draw`).
  command add_below(command parent, const std::string& name, const std::string& description, std::function<int()> work);

  /// `osteon --version` prints the result of `text`.
  void add_version_flag(std::function<std::string()> text);

  /// Description of all commands and options.
  command_entry tree() const;

  /// Join up to `most` plain numbers after `option` to one value (named_axes.hpp).
  void join_numbers(const std::string& option, std::size_t most) { joined_.emplace_back(option, most); }

  /// Arguments of this program, for the ranks that the program starts.
  const std::vector<std::string>& arguments() const { return arguments_; }

  /// Parse the command line and execute the command. @return the exit code of the program
  int run();

 private:
  std::unique_ptr<CLI::App> cli_;
  std::string heading_;
  std::vector<std::string> arguments_;
  std::map<std::string, CLI::App*> groups_;
  std::vector<std::pair<CLI::App*, std::function<int()>>> commands_;
  std::vector<std::pair<std::string, std::size_t>> joined_;
};

}  // namespace osteon::app
