#include <fmt/format.h>

#include <app/job/run_halves.hpp>
#include <app/job/summary_table.hpp>
#include <app/process/json_output.hpp>
#include <app/process/stop_signal.hpp>
#include <common/printable.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/job/import/model_key.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/finished_results.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/subprocess.hpp>

namespace osteon::app {

std::optional<index3> import_for_run(const run_options& options, job::spec& spec, log_sink& log) {
  spec.digests = job::digests_of(spec, stop_was_requested);
  if (!options.unless_done || !job::has_finished_results(spec, stop_was_requested))
    return job::source_of(spec).prepare(spec, log, stop_was_requested);
  log.note(fmt::format("'{}' holds the results of this job: nothing is computed", job::output_paths(spec).directory));
  return {};
}

void finish_run(const run_options& options, const job::spec& spec, bool was_done) {
  const job::output_paths paths(spec);
  const nlohmann::ordered_json summary = job::read_summary(spec);
  std::string report_path, fault;
  auto fault_kind = error_kind::machine;
  if (options.report && !(was_done && std::filesystem::exists(paths.report))) {
    const auto result = job::run_program(job::python_command({"-m", "osteon.report", paths.directory}), stop_was_requested);
    if (stop_was_requested())
      throw interrupted_error(
          fmt::format("stopped on request while making the report; results and picture are written: "
                      "osteon report '{}' makes it",
                      paths.directory));
    const bool is_damaged = result.exit_code == exit_code(error_kind::data);
    if (result.exit_code == 0) {
      report_path = paths.report;
    } else if (is_damaged || (result.exit_code == exit_code(error_kind::machine) && !job::lacks_package(result))) {
      fault = fmt::format("the results are written, the report is not: {}", result.err.substr(0, result.err.rfind('\n')));
      fault_kind = is_damaged ? error_kind::data : error_kind::machine;
    } else {  // The numbers are safe on disk; a missing plotting library must not turn them into a failure.
      say(fmt::format("  warning: no report: {}\n", result.err.empty() ? "the report program failed" : result.err));
    }
  }
  write_json(options.json, summary);
  if (options.json != "-" && !options.quiet) fmt::print("{}", printable(summary_table(summary, report_path)));
  if (!fault.empty()) throw_error(fault_kind, fault);
}

bool is_failure(int code) {
  return code != 0 && code != exit_code(error_kind::interrupted) && code != exit_code_of(error_kind::interrupted);
}

}  // namespace osteon::app
