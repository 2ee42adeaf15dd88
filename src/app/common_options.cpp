#include <app/common_options.hpp>

namespace osteon::app {

const char* const exit_codes =
    "Exit codes: 0 done, 2 wrong usage or job file, 3 bad data, 4 did not converge, 5 MPI or machine, "
    "75 stopped by SIGTERM or SIGUSR1 after writing a checkpoint (`osteon resume` continues).";

void add_job(command c, std::string& target) {
  c.add_option("job", target, "Job file (TOML; see `osteon schema` for its keys) or VOX-FE script").required();
}

void add_json(command c, std::string& target) {
  c.add_option("--json", target, "Write the answer as JSON to this file; - for standard output");
}

void add_script(command c, job::script_options& script) {
  c.add_option("--units", script.units, "VOX-FE script: units of its lengths, mm (with MPa) or m (with Pa)")
      .one_of({"mm", "m"});
  c.add_option("--index-base", script.index_base,
               "VOX-FE script: from where it counts voxels and nodes (default: found out)")
      .between(0, 1);
}

option add_repeatable(command c, const std::string& name, std::vector<std::string>& target, const std::string& description) {
  return c.add_option(name, target, description).repeatable();
}

}  // namespace osteon::app
