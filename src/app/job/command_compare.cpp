#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/python.hpp>
#include <memory>
#include <osteon/job/subprocess.hpp>

namespace osteon::app {

namespace {

struct compare_options {
  std::vector<std::string> folders;
  std::string json, csv, page = "compare.html";
  bool writes_page = true;
};

// The comparison uses the Python readers of results.
int compare_results(const compare_options& o) {
  if (o.folders.size() < 2) throw usage_error("only one folder is given; pass two or more output folders of finished jobs");
  std::vector<std::string> call = job::python_command({"-m", "osteon.compare"});
  if (!o.json.empty()) call.push_back("--json=" + o.json);
  if (!o.csv.empty()) call.push_back("--csv=" + o.csv);
  if (o.writes_page) call.push_back("--page=" + o.page);
  call.push_back("--");
  call.insert(call.end(), o.folders.begin(), o.folders.end());
  print_python_answer(call, "cannot compare the results", o.json);
  return 0;
}

}  // namespace

void add_compare(registry& commands) {
  const auto o = std::make_shared<compare_options>();
  command c = commands.add("compare", "Compare the results of finished jobs", [o] { return compare_results(*o); });
  c.add_option("folders", o->folders, "Output folders of finished jobs; the first is the reference").required();
  c.add_option("-o,--output", o->page, "Page to write").show_default();
  c.add_flag("!--no-page", o->writes_page, "Do not write the page");
  c.add_option("--csv", o->csv, "Write the answers as a table to this file, with units in the header");
  add_json(c, o->json);
  c.footer(
      "Reports changes of answers, jobs and inputs, and shows the fields side by side.\n\nExamples:\n  osteon compare "
      "bone.out bone_300.out\n  osteon compare z.out y.out x.out --csv axes.csv --no-page");
}

}  // namespace osteon::app
