#include <fmt/format.h>

#include <app/common_options.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <osteon/base/error.hpp>

namespace osteon::app {

const char* const exit_codes =
    "Exit codes: 0 success, 2 usage or job file, 3 input data, 4 not converged, 5 MPI or machine, 75 stopped after a "
    "checkpoint";

const char* const json_description = "Write the answer as JSON to this file (-: stdout)";

void add_job(command c, std::string& target) {
  c.add_option("job", target, "Job file (TOML), VOX-FE script or FAIM model").required();
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code failed;
  if (!file || std::filesystem::is_directory(path, failed)) throw data_error(fmt::format("cannot read '{}'", path));
  return {std::istreambuf_iterator<char>(file), {}};
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
