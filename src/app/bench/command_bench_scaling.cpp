#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/launcher.hpp>
#include <app/process/python.hpp>
#include <cstdlib>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/job/subprocess.hpp>

namespace osteon::app {

namespace {

struct bench_scaling_options {
  std::string job, out = "scaling.out", ranks = "1,2", threads = "1", json;
  std::vector<std::string> set;
  int repeat = 3;
  bool strong = false, weak = false;
};

int bench_scaling(const bench_scaling_options& o) {
  if (under_launcher(2)) throw usage_error("osteon bench scaling starts the ranks of its runs; start it without a launcher");
  std::vector<std::string> call =
      job::python_command({"-m", "osteon.batch.scaling", "--no-report", "--out=" + o.out, "--ranks-list=" + o.ranks,
                           "--threads-list=" + o.threads, fmt::format("--repeat={}", o.repeat)});
  if (o.strong) call.emplace_back("--kind=strong");
  if (o.weak) call.emplace_back("--kind=weak");
  if (!o.json.empty()) call.push_back("--json=" + o.json);
  for (const std::string& change : o.set) call.push_back("--set=" + change);
  call.push_back(o.job);
  setenv("OSTEON_BINARY", own_path().c_str(), 1);
  exec_python(call);
}

}  // namespace

void add_bench_scaling(registry& commands) {
  const auto o = std::make_shared<bench_scaling_options>();
  command c = commands.add("bench", "scaling", "Measure strong and weak scaling of a job, by stage, with the prediction",
                           [o] { return bench_scaling(*o); });
  add_job(c, o->job);
  c.add_option("-n,--ranks", o->ranks, "Numbers of MPI processes, such as 1,2,4").show_default();
  c.add_option("-t,--threads", o->threads, "Numbers of OpenMP threads per process, such as 1,2").show_default();
  c.add_option("--repeat", o->repeat, "Runs of each number; the fastest run counts").positive().show_default();
  c.add_flag("--strong", o->strong, "Measure strong scaling (default: both)");
  c.add_flag("--weak", o->weak, "Measure weak scaling (default: both)");
  c.add_option("-o,--out", o->out, "Output folder: scaling.csv, scaling.json, scaling.html, results and logs of the runs")
      .show_default();
  add_set(c, o->set);
  add_json(c, o->json);
  c.footer(std::string("Example:\n  osteon bench scaling bone.toml -n 1,2,4,8 -t 1,2\n\n") + exit_codes);
}

}  // namespace osteon::app
