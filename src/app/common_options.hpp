#pragma once
/// @file
/// Options that several commands share.
#include <app/command_line.hpp>
#include <osteon/job/script_job.hpp>
#include <string>

namespace osteon::app {

/// What the exit codes of commands mean, for their help.
extern const char* const exit_codes;

/// `job`: the job file or script.
void add_job(command c, std::string& target);

/// `--json`
void add_json(command c, std::string& target);

/// How a VOX-FE script is to be read.
void add_script(command c, job::script_options& script);

/// `name`, a list that is given one value at a time by repeating the option.
option add_repeatable(command c, const std::string& name, std::vector<std::string>& target, const std::string& description);

}  // namespace osteon::app
