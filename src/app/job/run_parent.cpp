#include <fmt/format.h>

#include <app/job/run_halves.hpp>
#include <app/process/front_link.hpp>
#include <app/process/launcher.hpp>
#include <app/process/progress_file.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <osteon/base/error.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/job/container.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/directory_lock.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/stop.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::app {

namespace {

// Run a job after this process has locked the output directory.
int run_in_locked_directory(const run_options& options, job::spec& spec, job::directory_lock& lock) {
  terminal_sink terminal(is_interactive(), verbosity_of(options));
  progress_file log(options.progress, terminal);
  job::warn_of_doubts(spec, log);
  if (!lock.is_held())
    log.warn(fmt::format("the file system of '{}' does not support locks; do not run a second job in this folder",
                         job::output_paths(spec).directory));
  job::find_filters(spec);
  const std::optional<index3> made = import_for_run(options, spec, log);
  if (!made) {
    finish_run(options, spec, true);
    return 0;
  }
  const index3 shape = *made;
  std::int64_t ranks = spec.run.ranks > 0 ? spec.run.ranks : job::default_ranks(spec.run.threads, shape.z);
  if (const std::string limits = job::text_of_container_limits(); !limits.empty() && spec.run.ranks <= 0) log.note(limits);

  if (job::uses_bricks(spec, shape.z, ranks)) {
    if (ranks > shape.volume()) throw usage_error(grid::too_many_ranks(ranks, shape));
  } else if (ranks > shape.z && spec.from) {  // planes of a script are not divided, so that further ranks would be idle
    log.note(fmt::format("the model has {} z planes; starting {} ranks instead of {}", shape.z, shape.z, ranks));
    ranks = shape.z;
  } else if (ranks > shape.z) {
    throw usage_error(grid::too_many_ranks(ranks, shape.z));
  }

  run_options rank_options = options;
  rank_options.ranks = static_cast<int>(ranks);
  rank_options.threads = static_cast<int>(spec.run.threads);
  rank_options.output = spec.output_directory;
  std::vector<std::string> arguments{"run", options.job};
  for (std::string& word : run_arguments(rank_options)) arguments.push_back(std::move(word));
  job::stop_if_requested(stop_was_requested, spec, "starting the ranks");
  lock.release_to_ranks();
  const int code =
      start_ranks(static_cast<int>(ranks), static_cast<int>(spec.run.threads), arguments, answer_by::parent, spec.digests);
  if (code == 0) finish_run(options, spec, false);
  if (code == program_exit_code(error_kind::interrupted) || stop_urgency() > 1) return code;
  if (code != 0 && (code < exit_code(error_kind::usage) || code > exit_code(error_kind::machine))) {
    job::stop_if_requested(stop_was_requested, spec,
                           "the ranks were being ended");  // another process ends the ranks after a shorter wait
    throw machine_error(fmt::format(
        "the ranks ended with exit code {}{}", code,
        code == 137 ? " (killed, probably because memory was exhausted); `osteon estimate` predicts the memory of a job"
                    : ""));
  }
  return code;
}

}  // namespace

int run_as_parent(const run_options& options) {
  reject_independent_copies(1);
  note_stop_signals();
  follow_lifeline();

  const auto report_end = [&](const error& e) { end_progress(options.progress, program_exit_code(e.kind()), e.what()); };
  job::spec spec;
  try {
    spec = read_job(options);
  } catch (const error& e) {
    begin_progress(options.progress, options.resume);
    report_end(e);
    throw;
  }
  // If another run has locked the directory, the lock throws. The progress file may belong to the other run, and therefore
  // remains unchanged.
  job::directory_lock lock(job::output_paths(spec).directory);
  try {
    begin_progress(options.progress, options.resume);
    const int code = run_in_locked_directory(options, spec, lock);
    if (code != 0) lock.remove_without_results(is_failure(code));
    end_progress(options.progress, code, "");
    return code;
  } catch (const error& e) {
    lock.remove_without_results(is_failure(exit_code(e.kind())));
    report_end(e);
    throw;
  }
}

}  // namespace osteon::app
