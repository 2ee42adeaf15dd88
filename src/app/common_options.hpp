#pragma once
/// @file
/// Options that several commands share.
#include <app/command_line.hpp>
#include <osteon/job/adapters/job_reader.hpp>
#include <string>

namespace osteon::app {

/// What the exit codes of commands mean, for their help.
extern const char* const exit_codes;

/// `job`: the job file or script.
void add_job(command c, std::string& target);

/// `--json`
void add_json(command c, std::string& target);

extern const char* const json_description;

/// Calls of `v(names, field, description, [limits])` for the options that tell how a VOX-FE script is to be read.
template <class Visitor>
void describe_script(Visitor& v, job::reader_options& script) {
  v("--units", script.units, "VOX-FE script: units of its lengths, mm (with MPa) or m (with Pa)",
    [](option of) { of.one_of({"mm", "m"}); });
  v("--index-base", script.index_base, "VOX-FE script: from where it counts voxels and nodes (default: found out)",
    [](option of) { of.between(0, 1); });
}

/// The same for changes of keys of the job file.
template <class Visitor>
void describe_set(Visitor& v, std::vector<std::string>& changes) {
  v("--set", changes,
    "Set a key of the job file, KEY=VALUE: segment.keep=all, material[1].poisson_ratio=0.3, image.spacing_mm=[1,1,2]; may "
    "be repeated",
    [](option of) { of.repeatable(); });
}

/// A visitor of such descriptions that adds the options to a command.
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

/// How a VOX-FE script is to be read.
void add_script(command c, job::reader_options& script);

/// Keys of the job file that are set.
void add_set(command c, std::vector<std::string>& changes);

/// `name`, a list that is given one value at a time by repeating the option.
option add_repeatable(command c, const std::string& name, std::vector<std::string>& target, const std::string& description);

}  // namespace osteon::app
