#pragma once
/// @file
/// State of a job between its stages, and execution of these stages.
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/job/pipeline/earlier_results.hpp>
#include <osteon/job/pipeline/stage_clock.hpp>
#include <osteon/job/stage.hpp>
#include <osteon/job/warning_record.hpp>
#include <string>

namespace osteon::job {

struct job_state {
  /// The object borrows `comm` and `sink`. @param command command for the history of the results @param start time at which
  /// the command of the user began
  job_state(MPI_Comm comm, spec job, sinks to, const checkpoint_options& options, std::string command, std::string start,
            log_sink& sink);

  MPI_Comm comm;
  spec job;
  sinks to;
  checkpoint_options options;
  std::string command, started;
  warning_record log;
  const physics_entry& physics;
  output_paths paths;
  std::optional<comm::attached_ledger> counting;  ///< ledger of the messages of the job, if messages are counted
  stage_clock clock;
  io_clock files;
  double cpu_before;  ///< CPU time of this process before the job; the process may have executed other work before

  local_model part;
  std::int64_t unsupported = 0;                    ///< number of voxels that `prepare` has removed on all ranks
  std::optional<file_checkpointer> checkpoints{};  ///< checkpoints of a job with files
  earlier_results earlier{};                       ///< restored if the job fails before the job has a checkpoint or results
  physics_result result{};                         ///< borrows `part`
  nlohmann::ordered_json written{};                ///< names of the files with results
  nlohmann::ordered_json summary{};                ///< only on rank 0

  bool is_first() const { return comm::rank(comm) == 0; }
  bool has_files() const { return to == sinks::files; }
  /// Stop the job if a stop has been requested. @collective on comm
  void poll(const char* during) const {
    if (has_files()) stop_together_if_requested(comm, options.is_to_stop, job, during);
  }
  /// Run a part of the job. If the part is interrupted and writes a checkpoint, the earlier results are not restored.
  template <class Part>
  auto keeping_checkpoint(Part&& part_of_job) {
    try {
      return part_of_job();
    } catch (const interrupted_error&) {
      if (has_checkpoint(checkpoint_directory(job))) earlier.keep_moved();
      throw;
    }
  }
};

extern const stage read_stage, solve_stage, write_stage, picture_stage, film_stage, report_stage;

/// Run the stages of the job. @collective on state.comm
void run_stages(job_state& state);

}  // namespace osteon::job
