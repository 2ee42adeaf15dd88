#include <app/commands.hpp>
#include <app/job/requeue.hpp>
#include <app/job/run_halves.hpp>
#include <app/process/launcher.hpp>
#include <filesystem>
#include <memory>
#include <osteon/job/checkpoint.hpp>

namespace osteon::app {

namespace {

int run(run_options options) {
  if (options.requeue) {
    require_requeue_is_possible();
    options.resume = true;
  }
  if (!options.progress.empty()) options.progress = std::filesystem::absolute(options.progress).string();
  return under_launcher(options.ranks.value_or(1)) ? run_as_rank(std::move(options)) : run_as_parent(options);
}

int resume(const std::string& directory, run_options options) {
  const job::resumable found = job::find_resumable(directory);
  options.job = found.job_file;
  options.output = found.output_directory;
  options.checkpoint = found.directory;
  options.set = found.changes;
  options.resume = true;
  return run(options);
}

}  // namespace

void add_run(registry& commands) {
  const auto o = std::make_shared<run_options>();
  command c = commands.add("run", "Run a job: import, solve, write, picture, report", [o] { return run(*o); });
  add_job(c, o->job);
  add_options(c, *o);
  c.footer(std::string("Examples:\n  osteon run examples/bone.toml\n  osteon run -n 4 -t 2 bone.toml -o /scratch/bone.out\n"
                       "  osteon run script.txt --units mm\n"
                       "  osteon run bone.toml --set segment.threshold=300 -o bone_300.out\n"
                       "  mpirun -np 64 osteon run bone.toml\n\n") +
           exit_codes);
}

void add_resume(registry& commands) {
  struct options {
    std::string directory;
    run_options run;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("resume", "Continue an interrupted job from its checkpoint",
                           [o] { return resume(o->directory, o->run); });
  c.add_option("checkpoint", o->directory, "Checkpoint folder or output directory of the job").required();
  c.add_option("-n,--ranks", o->run.ranks, "MPI processes; may differ from the interrupted job").positive();
  c.add_option("-t,--threads", o->run.threads, "OpenMP threads per process").positive();
  add_script(c, o->run.script);
  c.add_flag("!--no-report", o->run.report, "Do not write report.html");
  c.add_option("--progress", o->run.progress, "Append progress events to this file as JSON lines");
  add_json(c, o->run.json);
  c.footer(std::string("Example:\n  osteon resume bone.out\n\n") + exit_codes);
}

}  // namespace osteon::app
