#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/figures/drawings.hpp>
#include <app/job/serialized_mpi.hpp>
#include <app/process/json_output.hpp>
#include <app/process/terminal.hpp>
#include <memory>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/plans/job_plans.hpp>

namespace osteon::app {

namespace {

struct plan_job_options {
  std::string job, json, picture;
  int ranks = 8;
  job::reader_options script;
  std::vector<std::string> set;
};

int plan_job(const plan_job_options& options) {
  const job::spec spec = job::read_job(options.job, options.script, options.set);
  terminal_sink log(is_interactive());
  job::warn_of_older_spellings(spec, log);
  job::find_filters(spec);
  const serialized_mpi session("plan job");
  const job::job_plans plans = job::plans_of_job(spec, options.ranks, log);
  write_json(options.json, plans.to_json());
  if (!options.picture.empty()) job::write_file(options.picture, draw_traffic(plans));
  if (options.json != "-") fmt::print("{}", plans.to_text());
  return plans.is_sound() ? 0 : exit_code(error_kind::data);
}

}  // namespace

void add_plan_job(registry& commands, command plan) {
  const auto o = std::make_shared<plan_job_options>();
  command c = commands.add_below(plan, "job", "Count the messages of a job by plan for any number of ranks",
                                 [o] { return plan_job(*o); });
  add_job(c, o->job);
  c.add_option("-n,--ranks", o->ranks, "Number of ranks (default: 8)").positive();
  c.add_option("--draw", o->picture, "Draw the traffic between ranks as SVG");
  add_set(c, o->set);
  add_script(c, o->script);
  add_json(c, o->json);
  c.footer(
      "`osteon run --trace-messages` counts the messages of a run.\n\nExample:\n  osteon plan job examples/bone.toml -n 64 "
      "--draw plans.svg");
}

}  // namespace osteon::app
