#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/job/queue_options.hpp>
#include <memory>
#include <osteon/base/error.hpp>

namespace osteon::app {

namespace {

struct batch_options {
  queue_options queue;
  std::vector<std::string> jobs, images, slurm_lines;
  std::string out = "batch.out", csv;
  bool report = true, slurm = false, submit = false;
};

int run_batch(const batch_options& o) {
  if (o.submit && !o.slurm) throw usage_error("--submit needs --slurm");
  if (!o.slurm_lines.empty() && !o.slurm) throw usage_error("--slurm-line needs --slurm");
  if (o.slurm && (o.queue.collect || o.queue.only))
    throw usage_error("--slurm, --collect and --only exclude each other; give one of them");
  std::vector<std::string> more{"--out=" + o.out};
  if (!o.csv.empty()) more.push_back("--csv=" + o.csv);
  for (const std::string& line : o.slurm_lines) more.push_back("--slurm-line=" + line);
  for (const std::string& image : o.images) more.push_back("--image=" + image);
  for (const auto& [name, given] : {std::pair{"--no-report", !o.report}, {"--slurm", o.slurm}, {"--submit", o.submit}})
    if (given) more.emplace_back(name);
  become_queue("batch", o.queue, more, o.jobs);
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
  add_queue_options(c, o->queue, "item");
  c.add_flag("!--no-report", o->report, "Do not make report.html of each item");
  c.add_option("--csv", o->csv, "The table (default: batch.csv in the folder)");
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
