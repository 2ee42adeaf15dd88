#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <common/printable.hpp>
#include <memory>
#include <osteon/base/counted.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/run/before_run.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/spec/doubts.hpp>

namespace osteon::app {

namespace {

struct check_options {
  std::string job, json;
  std::vector<std::string> set;
  job::script_options script;
  std::int64_t most_voxels = job::most_voxels_to_check;
};

nlohmann::ordered_json listed(const std::vector<problem>& problems) {
  auto list = nlohmann::ordered_json::array();
  for (const problem& p : problems) list.push_back({{"where", p.where}, {"text", p.text}});
  return list;
}

int check(const check_options& o) {
  job::image_check found;
  std::vector<problem> problems;
  const job::spec spec = job::read_job(o.job, o.script, problems, o.set);
  if (problems.empty()) {
    // What a set selects is found out by the code of the ranks.
    const int code = on_all_ranks([&](MPI_Comm) { found = job::check_image(MPI_COMM_SELF, spec, o.most_voxels); });
    if (code != 0) return code;
  } else {
    found.problems = job::check_image_files(spec);
    found.warnings = job::doubts(spec);
    found.looked_at = "the image was not opened: mend the job first";
  }
  for (auto* list : {&found.problems, &found.warnings})
    for (problem& p : *list) p.where = o.job + ": " + p.where;
  problems.insert(problems.end(), found.problems.begin(), found.problems.end());
  nlohmann::ordered_json answer = {{"schema", "osteon.check/1"},   {"job", o.job},
                                   {"problems", listed(problems)}, {"warnings", listed(found.warnings)},
                                   {"image", found.facts},         {"looked_at", found.looked_at}};
  write_json(o.json, answer);
  if (o.json != "-") {
    for (const problem& p : problems) fmt::print("{}\n", printable(p.where + ": " + p.text));
    for (const problem& p : found.warnings) fmt::print("{}\n", printable(p.where + ": warning: " + p.text));
    if (!found.looked_at.empty()) fmt::print("{}\n", printable(o.job + ": " + found.looked_at));
    std::string verdict = problems.empty() ? o.job + ": nothing wrong" : counted(std::ssize(problems), "fault");
    if (!found.warnings.empty()) verdict += ", " + counted(std::ssize(found.warnings), "warning");
    fmt::print("{}\n", printable(verdict));
  }
  return problems.empty() ? 0 : exit_code(error_kind::usage);
}

}  // namespace

void add_check(registry& commands) {
  const auto o = std::make_shared<check_options>();
  command c = commands.add("check", "Say everything that is wrong with a job file and its image", [o] { return check(*o); });
  add_job(c, o->job);
  add_set(c, o->set);
  add_script(c, o->script);
  c.add_option("--most-voxels", o->most_voxels,
               "Read and segment images of up to so many voxels, and try sets, supports and forces on them; of larger "
               "ones only the header and a sample are looked at")
      .between(std::int64_t{0}, std::int64_t{1} << 40)
      .show_default();
  add_json(c, o->json);
  c.footer(
      "Faults are what `osteon run` refuses: exit code 2. Warnings are values that are allowed but hardly meant.\n\n"
      "Example:\n  osteon check examples/bone.toml");
}

}  // namespace osteon::app
