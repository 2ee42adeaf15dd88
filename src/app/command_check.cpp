#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/json_output.hpp>
#include <osteon/job/import.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

int check(const std::string& path, const job::script_options& script, const std::string& json) {
  std::vector<problem> problems;
  const job::spec spec = job::read_job(path, script, problems);
  for (const problem& p : job::check_image_files(spec)) problems.push_back({path + ": " + p.where, p.text});
  nlohmann::ordered_json answer = {
      {"schema", "osteon.check/1"}, {"job", path}, {"problems", nlohmann::ordered_json::array()}};
  for (const problem& p : problems) answer["problems"].push_back({{"where", p.where}, {"text", p.text}});
  write_json(json, answer);
  if (json != "-") {
    for (const problem& p : problems) fmt::print("{}: {}\n", p.where, p.text);
    if (problems.empty())
      fmt::print("{}: nothing wrong\n", path);
    else
      fmt::print("{} {}\n", problems.size(), problems.size() == 1 ? "fault" : "faults");
  }
  return problems.empty() ? 0 : exit_code(error_kind::usage);
}

}  // namespace osteon::app
