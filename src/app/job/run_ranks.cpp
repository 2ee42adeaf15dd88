#include <fmt/format.h>
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <app/job/requeue.hpp>
#include <app/job/run_halves.hpp>
#include <app/process/mpi_session.hpp>
#include <app/process/parent_process.hpp>
#include <app/process/progress_file.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <osteon/base/error.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/batch_job.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/before_run.hpp>
#include <osteon/job/pipeline/compute.hpp>
#include <osteon/job/pipeline/directory_lock.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/pipeline/same_job.hpp>
#include <osteon/job/placement/place_ranks.hpp>
#include <osteon/job/plans/ranks_by_plans.hpp>
#include <osteon/job/shape/morphometry.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/job/variants/connectivity_effect.hpp>
#include <osteon/job/variants/uncertainty.hpp>
#include <osteon/job/warning_record.hpp>
#include <osteon/physics/heat/entry.hpp>
#include <span>
#include <utility>

namespace osteon::app {

namespace {

job::placed_ranks place(MPI_Comm comm, const job::spec& spec, log_sink& log) {
  const auto graph = [&] {
    job::ranks_to_place found = job::ranks_to_place_of_run(comm, spec);
    return std::pair(std::move(found.graph), std::move(found.by));
  };
  return job::place_ranks(comm, spec, graph, physics::seconds_of_heat_iteration, log);
}

// Communicator of the ranks that receive planes of a model that cannot be divided into bricks: at most one rank per plane.
// The other ranks wait and receive MPI_COMM_NULL. Collective.
MPI_Comm ranks_with_planes(MPI_Comm given, std::int64_t planes, log_sink& log) {
  const int ranks = comm::size(given);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(given, comm::rank(given) < planes ? 0 : MPI_UNDEFINED, 0, &made);
  log.note(fmt::format("the model has {} z planes; {} of the {} ranks are idle", planes, ranks - planes, ranks));
  return made;
}

class rank_of_run {
 public:
  explicit rank_of_run(run_options options) : options_(std::move(options)) {
    if (has_parent_) options_.digests = {parent()->images, parent()->labels};
  }

  int run() {
    note_stop_signals();
    const int code = on_all_ranks([&](MPI_Comm given) {
      terminal_sink terminal(is_interactive(), verbosity_of(options_));
      progress_file shown(options_.progress, terminal);
      job::warning_record record(shown);
      try {
        compute(given, record);
      } catch (const interrupted_error& e) {
        if (!options_.requeue || has_parent_) throw;
        // Slurm ends the ranks soon after the request. The other ranks wait for the first one in on_all_ranks.
        if (comm::rank(given) == 0) {
          print_message(fmt::format("osteon: {}\n", e.what()));
          requeue_if_stopped(spec_, exit_code(e.kind()), terminal);
        }
        throw interrupted_error("");
      }
    });
    const bool ends_run = is_first_ && !has_parent_;
    if (code == 0 && ends_run) finish_run(options_, spec_, was_done_);
    if (ends_run && has_directory_) end_progress(options_.progress, code, "");
    if (code != 0 && lock_ && !has_parent_) lock_->remove_without_results(is_failure(code));
    return code;
  }

 private:
  static log_sink& sink_if_first(bool is_first, log_sink& log) { return is_first ? log : null_log(); }

  void compute(MPI_Comm given, job::warning_record& record) {
    is_first_ = comm::rank(given) == 0;
    log_sink& log = sink_if_first(is_first_, record);
    require_common_files(given);
    comm::collectively(given, [&] { spec_ = read_job(options_); });
    job::require_same_job(given, spec_);
    if (!has_parent_) report_ranks(comm::size(given), log);
    if (!has_parent_) job::warn_of_doubts(spec_, log);
    job::stop_together_if_requested(given, stop_was_requested, spec_, "starting the ranks");
    std::int64_t planes = 0;
    int ranks_on_host = comm::size(comm::communicator::of_host(given).get());
    comm::all_reduce(given, &ranks_on_host, 1, MPI_MAX);
    comm::collectively(given, [&] { planes = begin(log); });
    comm::collectively(given, [&] {
      if (is_first_ && !has_parent_ && planes != of_done_job)
        job::require_memory_of_allocation(spec_, comm::size(given), ranks_on_host);
    });
    report_hosts(given, log);
    if (has_parent_) planes = job::source_of(spec_).outline(given, spec_).shape.z;
    MPI_Bcast(&planes, 1, MPI_INT64_T, 0, given);
    was_done_ = planes == of_done_job;
    if (was_done_) return;
    options_.digests = {comm::broadcast(given, spec_.digests.images), comm::broadcast(given, spec_.digests.labels)};
    spec_.digests = options_.digests;
    job::stop_together_if_requested(given, stop_was_requested, spec_, "importing the image");
    if (!spec_.from || planes <= 0 || comm::size(given) <= planes) return compute_on(given, record);
    const auto with_planes = comm::communicator::take(ranks_with_planes(given, planes, log));
    // An error on a working rank also ends the waiting ranks.
    comm::collectively(given, [&] {
      if (with_planes.get() != MPI_COMM_NULL) compute_on(with_planes.get(), record);
    });
  }

  // Lock the output directory, and import the model unless a parent has done so. @return z planes of the model, on the first
  // rank without a parent
  std::int64_t begin(log_sink& log) {
    if (options_.threads || !std::getenv("OMP_NUM_THREADS")) omp_set_num_threads(static_cast<int>(spec_.run.threads));
    std::optional<index3> shape;
    if (is_first_)
      lock_.emplace(job::output_paths(spec_).directory,
                    has_parent_ ? job::directory_lock::part::of_ranks : job::directory_lock::part::both);
    if (is_first_ && !has_parent_) begin_progress(options_.progress, options_.resume);
    has_directory_ = true;
    if (has_parent_ || !is_first_) return 0;
    shape = import_for_run(options_, spec_, log);
    return shape ? shape->z : of_done_job;
  }

  void compute_on(MPI_Comm with_planes, job::warning_record& record) {
    const job::placed_ranks placed = place(with_planes, spec_, sink_if_first(is_first_, record));
    const MPI_Comm comm = placed.comm();
    is_first_ = comm::rank(comm) == 0;  // after renumbering, another rank may be the first rank
    log_sink& log = sink_if_first(is_first_, record);
    const job::checkpoint_options job_options{.resume = options_.resume,
                                              .is_to_stop = stop_was_requested,
                                              .trace_messages = options_.trace_messages,
                                              .replace = options_.force};
    const job::checkpoint_options variant_options{
        .resume = options_.resume, .is_to_stop = stop_was_requested, .replace = true};
    const job::variant_factory make = variant_maker(options_);
    job::compute(comm, spec_, command_line(options_), start_time(), log, job_options);
    const std::size_t count = record.texts().size();  // warnings that the summary already contains
    if (spec_.segment.compare_connectivity) job::report_connectivity_effect(comm, spec_, make, log, variant_options);
    if (spec_.measures_shape) job::report_shape(comm, spec_, log);
    if (spec_.uncertainty && spec_.uncertainty->enabled) job::report_uncertainty(comm, spec_, make, log, variant_options);
    comm::collectively(comm, [&] {
      if (is_first_) job::add_warnings(spec_, std::span(record.texts()).subspan(count));
    });
  }

  // A job file that only some hosts have is reported with the name of a host, before the file is read.
  void require_common_files(MPI_Comm given) const {
    std::error_code failed;
    const int sees = std::filesystem::exists(options_.job, failed);
    int any = sees;
    comm::all_reduce(given, &any, 1, MPI_MAX);
    comm::collectively(given, [&] {
      if (any && !sees)
        throw machine_error(fmt::format(
            "rank {} on host {} does not find '{}', which other ranks find: the hosts have no common file system, or the "
            "working folder is absent there; use a folder that all hosts of the job share",
            comm::rank(given), host_name(), options_.job));
    });
  }

  static std::string host_name() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
  }

  // Hosts of a batch job without ranks are reported, because some launchers start all ranks on the first host.
  static void report_hosts(MPI_Comm given, log_sink& log) {
    const auto batch = allocation_of(own_variable);
    int wanted = batch ? static_cast<int>(batch->hosts.size()) : 1;
    MPI_Bcast(&wanted, 1, MPI_INT, 0, given);
    wanted = std::min(wanted, comm::size(given));
    if (wanted == 1) return;
    const std::size_t used = job::host_names(given).size();
    if (comm::rank(given) == 0 && used < static_cast<std::size_t>(wanted))
      log.warn(
          fmt::format("the {} ranks run on {} of the {} hosts of {}; start the ranks by a launcher of the batch "
                      "system, or set OSTEON_MPIRUN to it",
                      comm::size(given), used, batch->hosts.size(), title_of(*batch)));
  }

  // Report if the number of ranks differs from the requested number or from the useful number. The launcher determines the
  // number of ranks.
  void report_ranks(int ranks, log_sink& log) const {
    if (options_.ranks && *options_.ranks != ranks) {
      log.warn(fmt::format("-n {} has no effect: the launcher has started {}", *options_.ranks,
                           ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks)));
    } else if (ranks == 1 && !options_.ranks && job::usable_cores() >= 2 * spec_.run.threads) {
      log.note(fmt::format("the launcher has started 1 rank, which uses {} of {} cores; -n N starts N ranks",
                           spec_.run.threads, job::usable_cores()));
    }
  }

  static constexpr std::int64_t of_done_job = -1;  ///< returned instead of the number of planes
  run_options options_;
  const bool has_parent_ = parent().has_value();
  job::spec spec_;
  std::optional<job::directory_lock> lock_;
  bool is_first_ = false;       ///< this is rank 0
  bool has_directory_ = false;  ///< one of the ranks has locked the output directory
  bool was_done_ = false;
};

}  // namespace

int run_as_rank(run_options options) { return rank_of_run(std::move(options)).run(); }

}  // namespace osteon::app
