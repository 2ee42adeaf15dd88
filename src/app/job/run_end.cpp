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
  log.note(fmt::format("'{}' already contains the results of this job; skipping the computation",
                       job::output_paths(spec).directory));
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
      throw interrupted_error(fmt::format(
          "stopped on request before the report was complete; results and picture are written; run osteon report '{}'",
          paths.directory));
    const bool is_damaged = result.exit_code == exit_code(error_kind::data);
    if (result.exit_code == 0) {
      report_path = paths.report;
    } else if (is_damaged || (result.exit_code == exit_code(error_kind::machine) && !job::lacks_package(result))) {
      fault = fmt::format("the results are complete, but writing the report failed: {}",
                          result.err.substr(0, result.err.rfind('\n')));
      fault_kind = is_damaged ? error_kind::data : error_kind::machine;
    } else {  // The results are on disk; the job succeeds without a plotting library.
      print_message(fmt::format("  warning: no report was written: {}\n",
                                result.err.empty() ? "the report program ended without a message" : result.err));
    }
  }
  write_json(options.json, summary);
  if (options.json != "-" && !options.quiet) fmt::print("{}", printable(summary_table(summary, report_path)));
  if (!fault.empty()) throw_error(fault_kind, fault);
}

bool is_failure(int code) {
  return code != 0 && code != exit_code(error_kind::interrupted) && code != program_exit_code(error_kind::interrupted);
}

}  // namespace osteon::app
