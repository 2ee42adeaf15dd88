#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/launcher.hpp>
#include <app/process/python.hpp>
#include <cstdlib>
#include <memory>
#include <osteon/job/subprocess.hpp>

namespace osteon::app {

namespace {

struct batch_options {
  std::vector<std::string> jobs, images, set, slurm_lines;
  std::string out = "batch.out", csv, json;
  std::optional<int> ranks, threads, only, at_once;
  bool report = true, slurm = false, submit = false, collect = false;
};

// The queue is Python's, which takes the place of this process: signals and the terminal are its own.
int run_batch(const batch_options& o) {
  if (under_launcher()) throw usage_error("osteon batch starts the ranks of its jobs; start it without a launcher");
  if (o.submit && !o.slurm) throw usage_error("--submit needs --slurm");
  if (!o.slurm_lines.empty() && !o.slurm) throw usage_error("--slurm-line needs --slurm");
  if (o.slurm + o.collect + o.only.has_value() > 1)
    throw usage_error("--slurm, --collect and --only exclude each other; give one of them");
  std::vector<std::string> call{job::python_interpreter(), "-m", "osteon.batch", "--out=" + o.out};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) call.push_back(std::string(name) + "=" + value);
  };
  const auto add_number = [&](const char* name, const std::optional<int>& value) {
    if (value) add(name, std::to_string(*value));
  };
  add("--csv", o.csv);
  add("--json", o.json);
  add_number("--at-once", o.at_once);
  add_number("--ranks", o.ranks);
  add_number("--threads", o.threads);
  add_number("--only", o.only);
  for (const std::string& change : o.set) add("--set", change);
  for (const std::string& line : o.slurm_lines) add("--slurm-line", line);
  for (const std::string& image : o.images) add("--image", image);
  for (const auto& [name, given] :
       {std::pair{"--no-report", !o.report}, {"--slurm", o.slurm}, {"--submit", o.submit}, {"--collect", o.collect}})
    if (given) call.emplace_back(name);
  call.emplace_back("--");
  call.insert(call.end(), o.jobs.begin(), o.jobs.end());
  setenv("OSTEON_BINARY", own_path().c_str(), 1);
  become_python(call);
}

}  // namespace

void add_batch(registry& commands) {
  const auto o = std::make_shared<batch_options>();
  command c = commands.add("batch",
                           "Run many jobs, or one job on many images, in a queue: one table, one page, and no stop at what "
                           "fails",
                           [o] { return run_batch(*o); });
  c.add_option("jobs", o->jobs, "Job files (TOML); with --images one").required();
  c.add_option("--images", o->images, "Images, each of which takes the place of image.path of the job").expected(1, 1 << 20);
  c.add_option("--out", o->out, "Folder of the batch: NAME.out of each item, batch.csv, batch.html, logs").show_default();
  c.add_option("--at-once", o->at_once,
               "So many items at the same time, each with its share of the cores (default: 1; of a job array: no limit)")
      .positive();
  c.add_option("-n,--ranks", o->ranks, "MPI processes of each item (default: run.ranks of the job, else its cores)")
      .positive();
  c.add_option("-t,--threads", o->threads, "OpenMP threads of each process (default: run.threads of the job)").positive();
  add_set(c, o->set);
  c.add_flag("!--no-report", o->report, "Do not make report.html of each item");
  c.add_option("--csv", o->csv, "The table (default: batch.csv in the folder)");
  add_json(c, o->json);
  c.add_flag("--collect", o->collect, "Run nothing: write table and page of what is there");
  c.add_option("--only", o->only, "Run this item alone, counted from 1, without table and page: for tasks of a job array")
      .positive();
  c.add_flag("--slurm", o->slurm, "Run nothing: write a job array for Slurm, batch.sbatch, and collect.sbatch");
  c.add_flag("--submit", o->submit, "Give the job array to sbatch, and then what collects its results");
  add_repeatable(c, "--slurm-line", o->slurm_lines, "An option of sbatch, --time=01:00:00 for example; may be repeated");
  c.footer(std::string("Examples:\n  osteon batch jobs/*.toml --out cohort\n"
                       "  osteon batch bone.toml --images scans/*.nrrd --out cohort --at-once 4\n"
                       "  osteon batch bone.toml --images scans/*.nrrd --out cohort -n 8 --slurm --submit --slurm-line "
                       "--time=01:00:00\n\n") +
           exit_codes);
}

}  // namespace osteon::app
