#include <fmt/format.h>

#include <app/command_tree.hpp>
#include <app/commands.hpp>
#include <osteon/job/system_info.hpp>
#include <string>

namespace osteon::app {

namespace {

// Escape text for roff. Backslashes are special, and dots and apostrophes are special at the start of a line. roff may print
// a plain - as a hyphen, and a shell does not accept a copied hyphen as a dash.
std::string roff(const std::string& text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    at_start = c == '\n';
  }
  return result;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

void describe(const option_entry& o, std::string& page) {
  std::string names;
  for (const std::string& name : o.names) names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  const std::string value = o.value.empty() ? "" : " \\fI" + roff(o.value) + "\\fR";
  page += fmt::format(".TP\n{}{}\n{}\n", names, value, roff(o.description));
}

void describe(const command_entry& at, const std::string& path, std::string& page) {
  std::string arguments;
  for (const option_entry& a : at.arguments) arguments += " \\fI" + roff(a.names.front()) + "\\fR";
  page += fmt::format(".SS \\fB{}\\fR{}{}\n{}\n", roff(path), at.options.empty() ? "" : " [options]", arguments,
                      roff(at.description));
  for (const option_entry& a : at.arguments) describe(a, page);
  for (const option_entry& o : at.options)
    if (o.names.front() != "-h" && o.names.back() != "--help") describe(o, page);
  if (!at.footer.empty()) page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(at.footer));
  for (const command_entry& inner : at.below) describe(inner, path + " " + inner.name, page);
}

// Manual page in the macros of man(7). @param version without the program's name
std::string manual_page(const command_entry& program, const std::string& version) {
  std::string page = fmt::format(
      ".TH {0} 1 \"\" \"{1} {2}\" \"User Commands\"\n.SH NAME\n{1} \\- {3}\n.SH SYNOPSIS\n\\fB{1}\\fR \\fIcommand\\fR "
      "[options]\n.SH DESCRIPTION\n{3}\n.PP\n.nf\n{4}\n.fi\n.SH OPTIONS\n",
      upper(program.name), program.name, roff(version), roff(program.description.substr(program.description.find(' ') + 1)),
      roff(program.footer));
  for (const option_entry& o : program.options) describe(o, page);
  page += ".SH COMMANDS\n";
  for (const command_entry& c : program.below) describe(c, program.name + " " + c.name, page);
  return page;
}

}  // namespace

void add_manual(registry& commands) {
  command c = commands.add("manual", "Print the manual page, for man(1)", [&commands] {
    fmt::print("{}", manual_page(commands.tree(), job::this_build().version));
    return 0;
  });
  c.footer("Example:\n  osteon manual | man -l -");
}

}  // namespace osteon::app
