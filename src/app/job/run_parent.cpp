#include <fmt/format.h>

#include <algorithm>
#include <app/job/requeue.hpp>
#include <app/job/run_halves.hpp>
#include <app/process/front_link.hpp>
#include <app/process/launcher.hpp>
#include <app/process/progress_file.hpp>
#include <app/process/srun.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <osteon/base/error.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/job/batch_job.hpp>
#include <osteon/job/container.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/before_run.hpp>
#include <osteon/job/pipeline/directory_lock.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/job/system_info.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::app {

namespace {

// Report the batch job and the way of starting its ranks. @return ranks of this host if the ranks cannot use the other hosts
// of the batch job; otherwise 0
std::int64_t report_allocation(const job::spec& spec, log_sink& log) {
  const auto batch = job::read_allocation();
  if (!batch) return 0;
  const srun_choice choice = choose_srun(batch, job::this_build().mpi);
  log.note(fmt::format("{}{}", job::text_of(*batch),
                       choice.mpi_type.empty() ? "" : fmt::format("; srun --mpi={} starts the ranks", choice.mpi_type)));
  if (batch->groups > 1)
    log.warn(fmt::format("the heterogeneous job has {} groups; the ranks use the first group only", batch->groups));
  if (spec.run.threads == 1 && batch->threads > 1)
    log.note(fmt::format("each task has {0} cores; -t {0} uses them", batch->threads));
  if (choice.reason.empty() || batch->hosts.size() == 1) return 0;
  log.warn(
      fmt::format("the ranks use 1 of the {} hosts of the batch job, because {}; start osteon by srun, or set "
                  "OSTEON_MPIRUN to a launcher that uses all hosts",
                  batch->hosts.size(), choice.reason));
  return std::max<std::int64_t>(batch->tasks.front() / std::max<std::int64_t>(spec.run.threads, 1), 1);
}

// Largest number of ranks on a host: equal shares, as srun assigns them, or all ranks.
std::int64_t ranks_on_host(std::int64_t ranks, bool uses_one_host) {
  const auto batch = allocation_of(own_variable);
  if (uses_one_host) return ranks;
  const auto hosts = batch ? static_cast<std::int64_t>(batch->hosts.size()) : 1;
  return (ranks + hosts - 1) / hosts;
}

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
  const std::int64_t ranks_of_host = report_allocation(spec, log);
  std::int64_t ranks = spec.run.ranks > 0  ? spec.run.ranks
                       : ranks_of_host > 0 ? std::min(ranks_of_host, shape.z)
                                           : job::default_ranks(spec.run.threads, shape.z);
  if (const std::string limits = job::text_of_container_limits(); !limits.empty() && spec.run.ranks <= 0) log.note(limits);

  if (job::uses_bricks(spec, shape.z, ranks)) {
    if (ranks > shape.volume()) throw usage_error(grid::too_many_ranks(ranks, shape));
  } else if (ranks > shape.z && spec.from) {  // planes of a script are not divided, so that further ranks would be idle
    log.note(fmt::format("the model has {} z planes; starting {} ranks instead of {}", shape.z, shape.z, ranks));
    ranks = shape.z;
  } else if (ranks > shape.z) {
    throw usage_error(grid::too_many_ranks(ranks, shape.z));
  }

  job::require_memory_of_allocation(spec, ranks, ranks_on_host(ranks, ranks_of_host > 0));

  run_options rank_options = options;
  rank_options.requeue = false;  // this process queues the job again
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

// Read the job, lock its directory, start the ranks and wait for them.
int start_and_wait(const run_options& options) {
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

}  // namespace

int run_as_parent(const run_options& options) {
  if (!options.requeue) return start_and_wait(options);
  int code = 0;
  try {
    code = start_and_wait(options);
  } catch (const interrupted_error& e) {
    print_message(fmt::format("osteon: {}\n", e.what()));
    code = program_exit_code(e.kind());
  }
  if (code != exit_code(error_kind::interrupted)) return code;
  terminal_sink terminal(is_interactive(), verbosity_of(options));
  return requeue_if_stopped(read_job(options), code, terminal);
}

}  // namespace osteon::app
