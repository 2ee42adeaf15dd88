#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/job/queue_options.hpp>
#include <memory>

namespace osteon::app {

namespace {

struct cohort_options {
  queue_options queue;
  std::vector<std::string> images, compartments;
  std::string protocol, out = "cohort.csv";
  bool report = true;
};

int run_cohort(const cohort_options& o) {
  std::vector<std::string> more{"--out=" + o.out, "--protocol=" + o.protocol};
  for (const std::string& compartment : o.compartments) more.push_back("--compartment=" + compartment);
  if (!o.report) more.emplace_back("--no-report");
  exec_queue("cohort", o.queue, more, o.images);
}

}  // namespace

void add_cohort(registry& commands) {
  const auto o = std::make_shared<cohort_options>();
  command c = commands.add("cohort", "Analyse many scans by a protocol and summarise them in one table",
                           [o] { return run_cohort(*o); });
  c.add_option("images", o->images, "Scans: files, folders of slices or patterns (docs/reference/images.md)").required();
  c.add_option("-p,--protocol", o->protocol,
               "Protocol (docs/howto/new.md): electrode, femoral-neck-failure, femur-fall, rock, solid, vertebra, "
               "vertebra-failure, xtremect-radius, xtremect2-radius")
      .required();
  c.add_option("--out", o->out, "Table to write; jobs, results, logs and page are in the folder of the same name")
      .show_default();
  add_repeatable(c, "--compartment", o->compartments,
                 "Measure a compartment separately: KIND=PATH:LABEL, such as cortical={}_CORT_MASK.nrrd:127, with {} for "
                 "the scan without its extension; may be repeated");
  add_queue_options(c, o->queue, "scan");
  c.add_flag("!--no-report", o->report, "Do not write report.html for the scans");
  c.footer(
      std::string("Writes one table with a row per scan and one page. A failed scan does not stop the queue.\n\nExamples:\n "
                  " osteon cohort scans/*.aim --protocol xtremect2-radius --out cohort.csv\n  osteon cohort scans/*.nrrd -p "
                  "solid --set material[1].youngs_modulus_MPa=7000 --set material[1].poisson_ratio=0.3\n  osteon cohort "
                  "scans/*.aim -p xtremect2-radius -n 8 --slurm --submit --slurm-line --time=01:00:00\n  osteon cohort "
                  "r*.nrrd -p xtremect2-radius --compartment cortical={}_CORT.nrrd:127\n\n") +
      exit_codes);
}

}  // namespace osteon::app
