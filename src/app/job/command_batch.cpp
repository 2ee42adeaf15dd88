#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/job/queue_options.hpp>
#include <memory>

namespace osteon::app {

namespace {

struct batch_options {
  queue_options queue;
  std::vector<std::string> jobs, images;
  std::string out = "batch.out", csv;
  bool report = true;
};

int run_batch(const batch_options& o) {
  std::vector<std::string> more{"--out=" + o.out};
  if (!o.csv.empty()) more.push_back("--csv=" + o.csv);
  for (const std::string& image : o.images) more.push_back("--image=" + image);
  if (!o.report) more.emplace_back("--no-report");
  exec_queue("batch", o.queue, more, o.jobs);
}

}  // namespace

void add_batch(registry& commands) {
  const auto o = std::make_shared<batch_options>();
  command c = commands.add("batch", "Run a queue of jobs, or one job on many images", [o] { return run_batch(*o); });
  c.add_option("jobs", o->jobs, "Job files (TOML); exactly one with --images").required();
  c.add_option("--images", o->images, "Images; each replaces image.path of the job").expected(1, 1 << 20);
  c.add_option("--out", o->out, "Output folder: NAME.out of each item, batch.csv, batch.html, logs").show_default();
  add_queue_options(c, o->queue, "item");
  c.add_flag("!--no-report", o->report, "Do not write report.html for the items");
  c.add_option("--csv", o->csv, "Table to write (default: batch.csv in the folder)");
  c.footer(std::string(
               "Writes one table and one page. A failed job does not stop the queue.\n\nExamples:\n  osteon batch "
               "jobs/*.toml --out cohort\n  osteon batch bone.toml --images scans/*.nrrd --out cohort --at-once 4\n  osteon "
               "batch bone.toml --images scans/*.nrrd --out cohort -n 8 --slurm --submit --slurm-line --time=01:00:00\n\n") +
           exit_codes);
}

}  // namespace osteon::app
