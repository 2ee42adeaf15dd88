#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/json_output.hpp>
#include <app/terminal.hpp>
#include <memory>
#include <optional>
#include <osteon/job/compute.hpp>
#include <osteon/job/estimate.hpp>
#include <osteon/job/import.hpp>
#include <osteon/job/io_options.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

namespace {

job::spec read_or_throw(const std::string& path, const job::script_options& script) {
  std::vector<problem> problems;
  job::spec spec = job::read_job(path, script, problems);
  if (!problems.empty()) throw usage_error(job::join(problems));
  return spec;
}

int estimate(const std::string& path, std::optional<int> ranks, const job::script_options& script, const std::string& json) {
  const job::spec spec = read_or_throw(path, script);
  terminal_sink log(is_interactive());
  const job::estimation e = job::estimate(spec, ranks.value_or(0), log);
  write_json(json, e.to_json());
  if (json != "-") fmt::print("{}", e.to_text());
  return 0;
}

int import(const std::string& path, const std::string& model, const job::script_options& script, const std::string& json) {
  const job::spec spec = read_or_throw(path, script);
  terminal_sink log(is_interactive());
  job::find_filters(spec);
  const auto imported = job::import_model(spec, model.empty() ? job::output_paths(spec).model : model, log);
  write_json(json, imported.to_json());
  if (json != "-") fmt::print("{}\n", imported.path);
  return 0;
}

}  // namespace

void add_estimate(registry& commands) {
  struct options {
    std::string job, json;
    std::optional<int> ranks;
    job::script_options script;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("estimate", "Say what a job would take, without solving it (imports the image if need be)",
                           [o] { return estimate(o->job, o->ranks, o->script, o->json); });
  add_job(c, o->job);
  c.add_option("-n,--ranks", o->ranks, "Number of MPI processes to estimate for").positive();
  add_script(c, o->script);
  add_json(c, o->json);
  c.footer("Example:\n  osteon estimate examples/bone.toml --ranks 64");
}

void add_import(registry& commands) {
  struct options {
    std::string job, model, json;
    job::script_options script;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("import", "Turn the image of a job into a model file",
                           [o] { return import(o->job, o->model, o->script, o->json); });
  add_job(c, o->job);
  c.add_option("-o,--output", o->model, "Model file to write (default: model.nc in the output directory)");
  add_script(c, o->script);
  add_json(c, o->json);
  c.footer("Example:\n  osteon import examples/bone.toml -o bone.nc");
}

}  // namespace osteon::app
