#include <fmt/format.h>

#include <app/common_options.hpp>
#include <app/job/queue_options.hpp>
#include <app/process/launcher.hpp>
#include <app/process/python.hpp>
#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/job/subprocess.hpp>
#include <string>

namespace osteon::app {

void add_queue_options(command c, queue_options& o, const std::string& item) {
  c.add_option(
       "--at-once", o.at_once,
       fmt::format("Number of {}s at the same time, with equal shares of the cores (default: 1; job array: no limit)", item))
      .positive();
  c.add_option("-n,--ranks", o.ranks, fmt::format("MPI processes per {} (default: run.ranks, else its cores)", item))
      .positive();
  c.add_option("-t,--threads", o.threads, "OpenMP threads per process (default: run.threads)").positive();
  add_set(c, o.set);
  add_json(c, o.json);
  c.add_flag("--collect", o.collect, "Write table and page of existing results without running jobs");
  c.add_flag("--slurm", o.slurm, "Write a Slurm job array and the job that collects its results, without running them");
  c.add_flag("--submit", o.submit, "Submit the job array and the collecting job with sbatch");
  c.add_flag("--requeue", o.requeue,
             fmt::format("In the job array, queue each {} again when it stops before the time limit", item));
  add_repeatable(c, "--slurm-line", o.slurm_lines, "Option of sbatch, such as --time=01:00:00; may be repeated");
  c.add_option("--only", o.only,
               fmt::format("Run only this {} (counted from 1) without table and page, as a task of a job array", item))
      .positive();
}

void exec_queue(const std::string& name, const queue_options& o, const std::vector<std::string>& more,
                const std::vector<std::string>& items) {
  if (under_launcher(2))
    throw usage_error(fmt::format("osteon {} starts the ranks of its jobs; start it without a launcher", name));
  if (o.submit && !o.slurm) throw usage_error("--submit requires --slurm");
  if (o.requeue && !o.slurm && !o.only) throw usage_error("--requeue requires --slurm");
  if (!o.slurm_lines.empty() && !o.slurm) throw usage_error("--slurm-line requires --slurm");
  if (o.slurm + o.collect + o.only.has_value() > 1)
    throw usage_error("--slurm, --collect and --only are mutually exclusive; pass one of them");
  std::vector<std::string> call = job::python_command({"-m", name == "batch" ? "osteon.batch" : "osteon.batch." + name});
  call.insert(call.end(), more.begin(), more.end());
  if (!o.json.empty()) call.push_back("--json=" + o.json);
  for (const auto& [option, number] :
       {std::pair{"--at-once=", o.at_once}, {"--ranks=", o.ranks}, {"--threads=", o.threads}, {"--only=", o.only}})
    if (number) call.push_back(option + std::to_string(*number));
  for (const std::string& change : o.set) call.push_back("--set=" + change);
  for (const std::string& line : o.slurm_lines) call.push_back("--slurm-line=" + line);
  for (const auto& [option, given] :
       {std::pair{"--collect", o.collect}, {"--slurm", o.slurm}, {"--submit", o.submit}, {"--requeue", o.requeue}})
    if (given) call.emplace_back(option);
  call.emplace_back("--");
  call.insert(call.end(), items.begin(), items.end());
  setenv("OSTEON_BINARY", own_path().c_str(), 1);
  exec_python(call);
}

}  // namespace osteon::app
