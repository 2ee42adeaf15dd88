#include <app/common_options.hpp>

namespace osteon::app {

const char* const exit_codes =
    "Exit codes: 0 done, 2 wrong usage or job file, 3 bad data, 4 did not converge, 5 MPI or machine, "
    "75 stopped by SIGTERM or SIGUSR1 after writing a checkpoint (`osteon resume` continues).";

void add_job(CLI::App* command, std::string& target) {
  command->add_option("job", target, "Job file (TOML; see `osteon schema` for its keys) or VOX-FE script")->required();
}

void add_json(CLI::App* command, std::string& target) {
  command->add_option("--json", target, "Write the answer as JSON to this file; - for standard output");
}

void add_script(CLI::App* command, job::script_options& script) {
  command->add_option("--units", script.units, "VOX-FE script: units of its lengths, mm (with MPa) or m (with Pa)")
      ->check(CLI::IsMember({"mm", "m"}));
  command
      ->add_option("--index-base", script.index_base,
                   "VOX-FE script: from where it counts voxels and nodes (default: found out)")
      ->check(CLI::Range(0, 1));
}

CLI::Option* add_repeatable(CLI::App* command, const std::string& name, std::vector<std::string>& target,
                            const std::string& description) {
  return command->add_option(name, target, description)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace osteon::app
