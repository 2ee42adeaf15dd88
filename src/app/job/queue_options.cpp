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
  c.add_option("--at-once", o.at_once,
               fmt::format("So many {}s at the same time, each with its share of the cores (default: 1; of a job array: no "
                           "limit)",
                           item))
      .positive();
  c.add_option("-n,--ranks", o.ranks,
               fmt::format("MPI processes of each {} (default: run.ranks of the job, else its cores)", item))
      .positive();
  c.add_option("-t,--threads", o.threads, "OpenMP threads of each process (default: run.threads of the job)").positive();
  add_set(c, o.set);
  add_json(c, o.json);
  c.add_flag("--collect", o.collect, "Run nothing: write table and page of what is there");
  c.add_flag("--slurm", o.slurm, "Run nothing: write a job array for Slurm, and what collects its results");
  c.add_flag("--submit", o.submit, "Give the job array to sbatch, and then what collects its results");
  add_repeatable(c, "--slurm-line", o.slurm_lines, "An option of sbatch, --time=01:00:00 for example; may be repeated");
  c.add_option("--only", o.only,
               fmt::format("Run this {} alone, counted from 1, without table and page: for tasks of a job array", item))
      .positive();
}

void become_queue(const std::string& name, const queue_options& o, const std::vector<std::string>& more,
                  const std::vector<std::string>& items) {
  if (under_launcher(2))
    throw usage_error(fmt::format("osteon {} starts the ranks of its jobs; start it without a launcher", name));
  if (o.submit && !o.slurm) throw usage_error("--submit needs --slurm");
  if (!o.slurm_lines.empty() && !o.slurm) throw usage_error("--slurm-line needs --slurm");
  if (o.slurm + o.collect + o.only.has_value() > 1)
    throw usage_error("--slurm, --collect and --only exclude each other; give one of them");
  std::vector<std::string> call = job::python_command({"-m", name == "batch" ? "osteon.batch" : "osteon.batch." + name});
  call.insert(call.end(), more.begin(), more.end());
  if (!o.json.empty()) call.push_back("--json=" + o.json);
  for (const auto& [option, number] :
       {std::pair{"--at-once=", o.at_once}, {"--ranks=", o.ranks}, {"--threads=", o.threads}, {"--only=", o.only}})
    if (number) call.push_back(option + std::to_string(*number));
  for (const std::string& change : o.set) call.push_back("--set=" + change);
  for (const std::string& line : o.slurm_lines) call.push_back("--slurm-line=" + line);
  for (const auto& [option, given] : {std::pair{"--collect", o.collect}, {"--slurm", o.slurm}, {"--submit", o.submit}})
    if (given) call.emplace_back(option);
  call.emplace_back("--");
  call.insert(call.end(), items.begin(), items.end());
  setenv("OSTEON_BINARY", own_path().c_str(), 1);
  become_python(call);
}

}  // namespace osteon::app
