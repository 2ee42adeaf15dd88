#pragma once
/// @file
/// Options that several commands share.
#include <app/command_line.hpp>
#include <osteon/job/adapters/job_reader.hpp>
#include <string>

namespace osteon::app {

/// Description of the exit codes for the help of commands.
extern const char* const exit_codes;

/// Add the argument `job`: the job file or script.
void add_job(command c, std::string& target);

/// Add `--json`.
void add_json(command c, std::string& target);

extern const char* const json_description;

/// Content of the file that an option names. @throws data_error if the file cannot be read
std::string read_text(const std::string& path);

/// Call `v(names, field, description, [limits])` for the options of VOX-FE scripts.
template <class Visitor>
void describe_script(Visitor& v, job::reader_options& script) {
  v("--units", script.units, "Units of a script: mm and MPa, or m and Pa", [](option of) { of.one_of({"mm", "m"}); });
  v("--index-base", script.index_base, "First index of voxels and nodes (default: detect)",
    [](option of) { of.between(0, 1); });
}

/// Call `v` in the same way for `--set`, which changes keys of the job file.
template <class Visitor>
void describe_set(Visitor& v, std::vector<std::string>& changes) {
  v("--set", changes, "Set a key of the job, KEY=VALUE; may be repeated", [](option of) { of.repeatable(); });
}

/// Visitor that adds the described options to a command.
struct option_adder {
  command c;
  template <class Value, class Limits>
  void operator()(const char* names, Value& target, const char* description, Limits limits) {
    limits(c.add_option(names, target, description));
  }
  template <class Value>
  void operator()(const char* names, Value& target, const char* description) {
    c.add_option(names, target, description);
  }
  void operator()(const char* names, bool& target, const char* description) { c.add_flag(names, target, description); }
};

/// Add the options of VOX-FE scripts.
void add_script(command c, job::reader_options& script);

/// Add `--set`.
void add_set(command c, std::vector<std::string>& changes);

/// Add a list option that takes one value per occurrence.
option add_repeatable(command c, const std::string& name, std::vector<std::string>& target, const std::string& description);

}  // namespace osteon::app
