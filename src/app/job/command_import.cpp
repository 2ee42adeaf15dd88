#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <memory>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

namespace {

int import(const std::string& path, const std::string& model, const job::reader_options& script,
           const std::vector<std::string>& set, const std::string& json) {
  const job::spec spec = job::read_job(path, script, set);
  terminal_sink log(is_interactive());
  job::warn_of_older_spellings(spec, log);
  note_stop_signals();
  job::find_filters(spec);
  const auto imported =
      job::import_model(spec, model.empty() ? job::output_paths(spec).model : model, log, stop_was_requested);
  write_json(json, imported.to_json());
  if (json != "-") fmt::print("{}\n", imported.path);
  return 0;
}

}  // namespace

void add_import(registry& commands) {
  struct options {
    std::string job, model, json;
    job::reader_options script;
    std::vector<std::string> set;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("import", "Convert the image of a job to a model file",
                           [o] { return import(o->job, o->model, o->script, o->set, o->json); });
  add_job(c, o->job);
  c.add_option("-o,--output", o->model, "Model file to write (default: model.nc in the output directory)");
  add_set(c, o->set);
  add_script(c, o->script);
  add_json(c, o->json);
  c.footer("Example:\n  osteon import examples/bone.toml -o bone.nc");
}

}  // namespace osteon::app
