#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <app/command_tree.hpp>
#include <app/commands.hpp>
#include <common/shell_quoted.hpp>
#include <functional>
#include <memory>
#include <string>

namespace osteon::app {

namespace {

using visitor = std::function<void(const std::string& path, const command_entry&)>;

// Call `work` for a command and then for its subcommands. The path of a command is, for example, "osteon net draw".
void visit(const command_entry& at, const std::string& path, const visitor& work) {
  work(path, at);
  for (const command_entry& inner : at.below) visit(inner, path + " " + inner.name, work);
}

std::string joined_names(const command_entry& at) {
  std::vector<std::string> all;
  for (const command_entry& c : at.below) all.push_back(c.name);
  for (const option_entry& o : at.options) all.insert(all.end(), o.names.begin(), o.names.end());
  return fmt::format("{}", fmt::join(all, " "));
}

// Return the first clause of a description, which is short enough for a menu.
std::string first_clause(const std::string& text) {
  const auto end = std::min({text.find(';'), text.find('\n'), text.find(". ")});
  return text.substr(0, end);
}

std::string identifier(std::string path) {
  std::replace_if(path.begin(), path.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return "_" + path;
}

// Completion script of bash. The script completes file names for values without a list of choices.
std::string bash_completion(const command_entry& program) {
  std::string names, choices, flags;
  visit(program, program.name, [&](const std::string& path, const command_entry& at) {
    names += fmt::format("    {}) names={} ;;\n", shell_quoted(path), shell_quoted(joined_names(at)));
    for (const option_entry& o : at.options)
      for (const std::string& name : o.names) {
        if (o.value.empty()) flags += fmt::format("    {}) return 1 ;;\n", shell_quoted(path + " " + name));
        if (!o.choices.empty())
          choices +=
              fmt::format("    {}) COMPREPLY=($(compgen -W {} -- \"$word\")); return ;;\n", shell_quoted(path + " " + name),
                          shell_quoted(fmt::format("{}", fmt::join(o.choices, " "))));
      }
    std::vector<std::string> of_arguments;
    for (const option_entry& a : at.arguments) of_arguments.insert(of_arguments.end(), a.choices.begin(), a.choices.end());
    if (!of_arguments.empty())
      choices += fmt::format("    {}) COMPREPLY=($(compgen -W {} -- \"$word\")); return ;;\n", shell_quoted(path + " "),
                             shell_quoted(fmt::format("{}", fmt::join(of_arguments, " "))));
  });
  return fmt::format(
      R"(# bash completion for {0}, written by `{0} completion bash`.
__{0}_names() {{
  case $1 in
{1}    *) names= ;;
  esac
}}
__{0}_takes_value() {{
  case $1 in
{2}    *) return 0 ;;
  esac
}}
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path={0} names i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    __{0}_names "$path"
    case " $names " in
      *" ${{COMP_WORDS[i]}} "*) [[ ${{COMP_WORDS[i]}} == -* ]] || path+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  __{0}_names "$path"
  if [[ $before != -* || " $names " != *" $before "* ]] || ! __{0}_takes_value "$path $before"; then
    before=
  fi
  if [[ $word != -* ]]; then
    case "$path $before" in
{3}    esac
  fi
  if [[ -z $before ]]; then
    COMPREPLY=($(compgen -W "$names" -- "$word"))
  fi
  if [[ $word != -* && ${{#COMPREPLY[@]}} -eq 0 ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _{0} {0}
)",
      program.name, names, flags, choices);
}

std::string zsh_completion(const command_entry& program) {
  std::string functions;
  visit(program, program.name, [&](const std::string& path, const command_entry& at) {
    // Brackets and colons are special in a specification of _arguments.
    const auto plain = [](const std::string& text) {
      std::string result;
      for (const char c : first_clause(text)) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
        result += c;
      }
      return result;
    };
    const auto values = [&](const option_entry& o) {
      return o.choices.empty() ? std::string("_files") : fmt::format("({})", fmt::join(o.choices, " "));
    };
    std::string specifications;
    for (const option_entry& o : at.options)
      for (const std::string& name : o.names)
        specifications +=
            fmt::format(" \\\n    {}", shell_quoted(fmt::format("*{}[{}]{}", name, plain(o.description),
                                                                o.value.empty() ? "" : ":value:" + values(o))));
    if (at.below.empty()) {
      for (const option_entry& a : at.arguments)
        specifications += fmt::format(" \\\n    {}", shell_quoted(fmt::format("*:{}:{}", a.names.front(), values(a))));
      functions += fmt::format("{}() {{\n  _arguments -S{}\n}}\n", identifier(path), specifications);
      return;
    }
    std::string commands, cases;
    for (const command_entry& c : at.below) {
      commands += fmt::format("\n        {}", shell_quoted(c.name + ":" + plain(c.description)));
      cases += fmt::format("        {}) {} ;;\n", c.name, identifier(path + " " + c.name));
    }
    functions += fmt::format(
        "{}() {{\n  local context state state_descr line commands\n  typeset -A opt_args\n  _arguments -C{} \\\n    "
        "'1:command:->command' "
        "'*::argument:->argument'\n"
        "  case $state in\n    command)\n      commands=({}\n      )\n      _describe command commands\n      ;;\n"
        "    argument)\n      case $line[1] in\n{}      esac\n      ;;\n  esac\n}}\n",
        identifier(path), specifications, commands, cases);
  });
  return fmt::format("#compdef {0}\n# zsh completion for {0}, written by `{0} completion zsh`.\n{1}{2} \"$@\"\n",
                     program.name, functions, identifier(program.name));
}

std::string fish_completion(const command_entry& program) {
  std::string text = fmt::format(
      R"(# fish completion for {0}, written by `{0} completion fish`.
# True if the words without options begin with the path $argv[1] and do not continue with a subcommand in $argv[2..].
function __{0}_at
    set -l words (commandline -opc | string match -v -- '-*')
    set -l path (string split ' ' -- $argv[1])
    set -l length (count $path)
    test (count $words) -ge $length; or return 1
    test "$words[1..$length]" = "$argv[1]"; or return 1
    set -l next $words[(math $length + 1)]
    not contains -- "$next" $argv[2..-1]
end
complete -c {0} -e
)",
      program.name);
  // Quote text for fish.
  const auto inner = [](const std::string& words) {
    std::string result;
    for (const char c : words) {
      if (c == '"' || c == '$' || c == '\\') result += '\\';
      result += c;
    }
    return "\"" + result + "\"";
  };
  visit(program, program.name, [&](const std::string& path, const command_entry& at) {
    std::string here = "__" + program.name + "_at '" + path + "'";
    for (const command_entry& c : at.below) here += " " + c.name;
    for (const command_entry& c : at.below)
      text += fmt::format("complete -c {} -n {} -f -a {} -d {}\n", program.name, inner(here), c.name,
                          inner(first_clause(c.description)));
    for (const option_entry& o : at.options) {
      text += fmt::format("complete -c {} -n {}", program.name, inner(here));
      for (const std::string& name : o.names)
        text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
      if (!o.value.empty())
        text += o.choices.empty() ? " -r" : fmt::format(" -x -a {}", inner(fmt::format("{}", fmt::join(o.choices, " "))));
      text += fmt::format(" -d {}\n", inner(first_clause(o.description)));
    }
    for (const option_entry& a : at.arguments)
      if (!a.choices.empty())
        text += fmt::format("complete -c {} -n {} -f -a {}\n", program.name, inner(here),
                            inner(fmt::format("{}", fmt::join(a.choices, " "))));
  });
  return text;
}

}  // namespace

void add_completion(registry& commands) {
  const auto shell = std::make_shared<std::string>();
  command c = commands.add("completion", "Print the completion script for a shell", [&commands, shell] {
    const command_entry all = commands.tree();
    fmt::print("{}", *shell == "bash" ? bash_completion(all) : *shell == "zsh" ? zsh_completion(all) : fish_completion(all));
    return 0;
  });
  c.add_option("shell", *shell, "Shell").required().one_of({std::string("bash"), "zsh", "fish"});
  c.footer(
      "Examples:\n  eval \"$(osteon completion bash)\"                 # in ~/.bashrc\n"
      "  osteon completion zsh >\"${fpath[1]}/_osteon\"\n"
      "  osteon completion fish >~/.config/fish/completions/osteon.fish");
}

}  // namespace osteon::app
