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
#include <osteon/job/plans/ranks_by_plans.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/stop.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::app {

namespace {

// In a directory locked by this process.
int run_held(const run_options& options, job::spec& spec, job::directory_lock& lock) {
  terminal_sink terminal(is_interactive(), loudness_of(options));
  progress_file log(options.progress, terminal);
  job::warn_of_doubts(spec, log);
  if (!lock.is_held())
    log.warn(fmt::format("the file system of '{}' has no locks: nothing keeps a second job out of this folder",
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

  if (job::takes_bricks(spec, shape.z, ranks)) {
    if (ranks > shape.volume()) throw usage_error(grid::too_many_ranks(ranks, shape));
  } else if (ranks > shape.z && spec.from) {  // a script cannot be cut into bricks: further ranks would be idle
    log.note(fmt::format("the model has {} z planes: {} ranks are started, not {}", shape.z, shape.z, ranks));
    ranks = shape.z;
  } else if (ranks > shape.z) {
    throw usage_error(grid::too_many_ranks(ranks, shape.z));
  }

  run_options of_ranks = options;
  of_ranks.ranks = static_cast<int>(ranks);
  of_ranks.threads = static_cast<int>(spec.run.threads);
  of_ranks.output = spec.output_directory;
  std::vector<std::string> words{"run", options.job};
  for (std::string& word : arguments_of(of_ranks)) words.push_back(std::move(word));
  job::leave_if_asked(stop_was_requested, spec, "starting the ranks");
  lock.leave_to_ranks();
  const int code =
      start_ranks(static_cast<int>(ranks), static_cast<int>(spec.run.threads), words, answer_by::parent, spec.digests);
  if (code == 0) finish_run(options, spec, false);
  if (code == exit_code_of(error_kind::interrupted) || stop_urgency() > 1) return code;
  if (code != 0 && (code < exit_code(error_kind::usage) || code > exit_code(error_kind::machine))) {
    job::leave_if_asked(stop_was_requested, spec, "the ranks were being ended");  // by others, who were not as patient
    throw machine_error(
        fmt::format("the ranks were ended with exit code {}{}", code,
                    code == 137 ? ": killed, probably for memory; `osteon estimate` says what a job takes" : ""));
  }
  return code;
}

}  // namespace

int run_as_parent(const run_options& options) {
  refuse_copies(1);
  note_stop_signals();
  follow_lifeline();

  const auto told = [&](const error& e) { end_progress(options.progress, exit_code_of(e.kind()), e.what()); };
  job::spec spec;
  try {
    spec = read_job(options);
  } catch (const error& e) {
    begin_progress(options.progress, options.resume);
    told(e);
    throw;
  }
  // Rejected because another run has locked the directory: the progress file may belong to that run and remains unchanged.
  job::directory_lock lock(job::output_paths(spec).directory);
  try {
    begin_progress(options.progress, options.resume);
    const int code = run_held(options, spec, lock);
    if (code != 0) lock.remove_if_useless(is_failure(code));
    end_progress(options.progress, code, "");
    return code;
  } catch (const error& e) {
    lock.remove_if_useless(is_failure(exit_code(e.kind())));
    told(e);
    throw;
  }
}

}  // namespace osteon::app
