#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/job/queue_options.hpp>
#include <memory>

namespace osteon::app {

namespace {

struct rev_options {
  queue_options queue;
  std::string job, out = "rev.csv", edges;
  int places = 8;
  double tolerance = 0.05;
  bool report = false;
};

int run_rev(const rev_options& o) {
  std::vector<std::string> more{"--out=" + o.out, fmt::format("--places={}", o.places),
                                fmt::format("--tolerance={}", o.tolerance)};
  if (!o.edges.empty()) more.push_back("--edges=" + o.edges);
  if (!o.report) more.emplace_back("--no-report");
  exec_queue("rev", o.queue, more, {o.job});
}

}  // namespace

void add_rev(registry& commands) {
  const auto o = std::make_shared<rev_options>();
  command c = commands.add("rev", "Find the representative volume size of an image", [o] { return run_rev(*o); });
  add_job(c, o->job);
  c.add_option("--out", o->out, "Table to write; results, logs and page are in the folder of the same name").show_default();
  c.add_option("--edges", o->edges,
               "Cube edges in voxels, such as 32,64,128 (default: shortest edge of the image, halved down to 8)");
  c.add_option("--places", o->places, "Maximum number of disjoint cubes of each edge").positive().show_default();
  c.add_option("--tolerance", o->tolerance,
               "Relative difference from the largest cubes below which a cube is representative")
      .show_default();
  add_queue_options(c, o->queue, "cube");
  c.add_flag("--report", o->report, "Write report.html for each cube");
  c.footer(std::string("Solves the job on cubes of its image.\n\nExamples:\n  osteon rev rock.toml --out rev.csv\n  osteon "
                       "rev foam.toml --edges 50,100,200 --places 16 --tolerance 0.1 --at-once 4\n\n") +
           exit_codes);
}

}  // namespace osteon::app
