#include <CLI/CLI.hpp>
#include <algorithm>
#include <app/named_axes.hpp>
#include <app/process/json_output.hpp>
#include <app/registry.hpp>
#include <common/printable.hpp>
#include <iostream>
#include <osteon/base/error.hpp>
#include <sstream>
#include <utility>

namespace osteon::app {

registry::registry(const std::string& description, const std::string& footer, std::vector<std::string> arguments)
    : cli_(std::make_unique<CLI::App>(description, "osteon")), arguments_(std::move(arguments)) {
  cli_->footer(footer);
  cli_->require_subcommand(1);
  cli_->get_formatter()->label("SUBCOMMAND", "COMMAND");
}

registry::~registry() = default;

void registry::add_group(const std::string& name, const std::string& description, const std::string& footer) {
  CLI::App* group = cli_->add_subcommand(name, description);
  if (!heading_.empty()) group->group(heading_);
  group->require_subcommand(1);
  group->footer(footer);
  groups_[name] = group;
}

command registry::add(const std::string& group, const std::string& name, const std::string& description,
                      std::function<int()> work) {
  const command added =
      add_below(command(group.empty() ? cli_.get() : groups_.at(group)), name, description, std::move(work));
  if (group.empty() && !heading_.empty()) added.of_->group(heading_);
  return added;
}

command registry::add_below(command parent, const std::string& name, const std::string& description,
                            std::function<int()> work) {
  CLI::App* added = parent.of_->add_subcommand(name, description);
  added->group("Commands");
  commands_.emplace_back(added, std::move(work));
  return command(added);
}

void registry::add_version_flag(std::function<std::string()> text) {
  cli_->set_version_flag("--version", std::move(text), "Print the version and exit");
}

namespace {

// Return the values of CLI::IsMember from its description, which has the form {a,b}.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> result;
  const auto begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return result;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string value; std::getline(list, value, ',');) result.push_back(value);
  return result;
}

command_entry entry_of(const CLI::App& app) {
  command_entry entry{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* o : app.get_options()) {
    option_entry described{{}, {}, o->get_description(), choices_in(o->get_type_name())};
    if (o->get_type_size() != 0) described.value = described.choices.empty() ? o->get_type_name() : "CHOICE";
    if (o->get_positional()) {
      described.names = {o->get_name(true)};
      entry.arguments.push_back(described);
      continue;
    }
    for (const std::string& name : o->get_snames()) described.names.push_back("-" + name);
    for (const std::string& name : o->get_lnames()) described.names.push_back("--" + name);
    entry.options.push_back(described);
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    entry.below.push_back(entry_of(*below));
  return entry;
}

}  // namespace

namespace {

// Lay out a help text of CLI11: break lines after 80 characters, narrow the lists of commands, keep examples unchanged.
std::string folded(const std::string& help) {
  constexpr std::size_t width = 80, column_of_options = 30, column_of_commands = 16;
  std::istringstream lines(help);
  std::string text, heading;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (!line.empty() && !indented) heading = line;
    if (line.empty() && text.ends_with("\n\n")) continue;
    const bool is_literal = indented && (heading.starts_with("Example") || heading == "Formats:");
    std::size_t column = indented ? column_of_options : 0;
    if (indented && !is_literal && heading != "Positionals:" && line[2] >= 'a' && line[2] <= 'z' &&
        line.size() > column_of_options && line[column_of_options - 1] == ' ') {
      column = column_of_commands;
      line.erase(column, column_of_options - column);
    }
    while (line.size() > width && !is_literal) {
      const std::size_t at = line.rfind(' ', width);
      if (at == std::string::npos || at <= column) break;
      text += line.substr(0, at) + '\n';
      line = std::string(column, ' ') + line.substr(at + 1);
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace

command_entry registry::tree() const { return entry_of(*cli_); }

int registry::run() {
  // Name the missing command, because CLI11 reports only that a command is missing.
  std::string before = "osteon";
  CLI::App* at = cli_.get();
  for (const std::string& word : arguments_) {
    if (word.empty() || word[0] == '-' || at->get_require_subcommand_min() == 0) break;
    const auto found = at->get_subcommands([&](const CLI::App* c) { return c->get_name() == word; });
    if (found.empty()) throw usage_error("there is no command `" + word + "`; `" + before + " --help` lists them");
    at = found.front();
    before += " " + word;
  }
  std::vector<std::string> arguments = arguments_;
  for (const auto& [option, most] : joined_) arguments = with_joined_numbers(arguments, option, most);
  try {
    cli_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 expects reverse order
  } catch (const CLI::ParseError& e) {
    std::ostringstream help, fault;
    const int code = cli_->exit(e, help, fault);
    std::cout << folded(help.str());
    std::cerr << printable(fault.str());
    return code == 0 ? 0 : exit_code(error_kind::usage);
  }
  // `osteon plan draw` also selects `plan`. The innermost command is executed.
  const auto asked = std::find_if(commands_.begin(), commands_.end(), [](const auto& entry) {
    return entry.first->parsed() && entry.first->get_subcommands().empty();
  });
  const CLI::Option* json = asked->first->get_option_no_throw("--json");
  if (json != nullptr && json->count() > 0 && json->as<std::string>() == "-") keep_stdout();
  return asked->second();
}

}  // namespace osteon::app
