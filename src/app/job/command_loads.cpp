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

// Results are read by Python, so their history is found there, too.
int find_loads(const loads_options& o) {
  std::vector<std::string> call = job::python_command({"-m", "osteon.loads", fmt::format("--target={}", o.target)});
  if (!o.json.empty()) call.push_back("--json=" + o.json);
  call.insert(call.end(), {"--", o.folder});
  tell_answer_of_python(call, "the loads could not be found", o.json);
  return 0;
}

}  // namespace

void add_loads(registry& commands) {
  const auto o = std::make_shared<loads_options>();
  command c =
      commands.add("loads",
                   "Tell from a job's load cases how a bone is loaded: amplitudes that strain it evenly, and how far "
                   "they are known",
                   [o] { return find_loads(*o); });
  c.add_option("folder", o->folder, "Output folder of a finished job of elasticity with two or more [[case]]").required();
  c.add_option("--target", o->target, "Strain energy density in MPa that bone is taken to be built for").show_default();
  add_json(c, o->json);
  c.footer("Examples:\n  osteon loads radius.out\n  osteon loads radius.out --target 0.01 --json loads.json");
}

}  // namespace osteon::app
