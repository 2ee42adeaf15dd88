#include <algorithm>
#include <app/registry.hpp>
#include <utility>

namespace osteon::app {

void registry::add_group(const std::string& name, const std::string& description, const std::string& footer) {
  CLI::App* group = cli_.add_subcommand(name, description);
  group->require_subcommand(1);
  group->footer(footer);
  groups_[name] = group;
}

CLI::App* registry::add(const std::string& group, const std::string& name, const std::string& description,
                        std::function<int()> work) {
  return add_below(group.empty() ? &cli_ : groups_.at(group), name, description, std::move(work));
}

CLI::App* registry::add_below(CLI::App* parent, const std::string& name, const std::string& description,
                              std::function<int()> work) {
  CLI::App* command = parent->add_subcommand(name, description);
  commands_.emplace_back(command, std::move(work));
  return command;
}

int registry::run() const {
  // `osteon plan draw` has asked for `plan` too: the innermost counts.
  const auto asked = std::find_if(commands_.begin(), commands_.end(), [](const auto& entry) {
    return entry.first->parsed() && entry.first->get_subcommands().empty();
  });
  return asked->second();
}

}  // namespace osteon::app
