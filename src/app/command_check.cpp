#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/json_output.hpp>
#include <memory>
#include <osteon/job/import.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

namespace {

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

}  // namespace

void add_check(registry& commands) {
  struct options {
    std::string job, json;
    job::script_options script;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("check", "Say everything that is wrong with a job file",
                           [o] { return check(o->job, o->script, o->json); });
  add_job(c, o->job);
  add_script(c, o->script);
  add_json(c, o->json);
  c.footer("Example:\n  osteon check examples/bone.toml");
}

}  // namespace osteon::app
