#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/python.hpp>
#include <memory>
#include <osteon/job/subprocess.hpp>

namespace osteon::app {

namespace {

struct loads_options {
  std::string folder, json;
  double target = 0.02;
};

// The estimate uses the Python readers of results.
int find_loads(const loads_options& o) {
  std::vector<std::string> call = job::python_command({"-m", "osteon.loads", fmt::format("--target={}", o.target)});
  if (!o.json.empty()) call.push_back("--json=" + o.json);
  call.insert(call.end(), {"--", o.folder});
  print_python_answer(call, "cannot estimate the loads", o.json);
  return 0;
}

}  // namespace

void add_loads(registry& commands) {
  const auto o = std::make_shared<loads_options>();
  command c =
      commands.add("loads", "Estimate the loading history of a bone from its load cases", [o] { return find_loads(*o); });
  c.add_option("folder", o->folder, "Output folder of a finished elasticity job with two or more [[case]]").required();
  c.add_option("--target", o->target, "Homeostatic strain energy density of bone in MPa").show_default();
  add_json(c, o->json);
  c.footer(
      "Reports the load magnitudes that strain the bone most uniformly, and their uncertainty.\n\nExamples:\n  osteon loads "
      "radius.out\n  osteon loads radius.out --target 0.01 --json loads.json");
}

}  // namespace osteon::app
