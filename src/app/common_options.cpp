#include <app/common_options.hpp>

namespace osteon::app {

const char* const exit_codes =
    "Exit codes: 0 done, 2 wrong usage or job file, 3 bad data, 4 did not converge, 5 MPI or machine, "
    "75 stopped by SIGTERM or SIGUSR1 after writing a checkpoint (`osteon resume` continues).";

const char* const json_description = "Write the answer as JSON to this file; - for standard output";

void add_job(command c, std::string& target) {
  c.add_option("job", target,
               "Job file (TOML; see `osteon schema` for its keys), VOX-FE script, or model of FAIM (.n88model)")
      .required();
}

void add_json(command c, std::string& target) { c.add_option("--json", target, json_description); }

void add_script(command c, job::reader_options& script) {
  option_adder add{c};
  describe_script(add, script);
}

void add_set(command c, std::vector<std::string>& changes) {
  option_adder add{c};
  describe_set(add, changes);
}

option add_repeatable(command c, const std::string& name, std::vector<std::string>& target, const std::string& description) {
  return c.add_option(name, target, description).repeatable();
}

}  // namespace osteon::app
