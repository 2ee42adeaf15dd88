#pragma once
/// @file
/// Checkpoints of a job (docs/reference/checkpoint.md). The file defines when and where checkpoints are written, and which
/// data a resumed job restores.
#include <memory>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <string>

namespace osteon::job {

struct local_model;

/// Checkpoint options of the caller of a job.
struct checkpoint_options {
  bool resume = false;  ///< true: continue from the checkpoint in the directory, if the directory contains a checkpoint
  /// function that is called on every rank between iterations; if the result is true, the job writes a checkpoint and stops
  stop_query is_to_stop{};
  bool trace_messages = false;  ///< true: count messages by plan, and report the counts in the summary
  bool replace = false;         ///< true: earlier results in the output folder may be replaced
};

/// The folder of the checkpoints of a job.
std::string checkpoint_directory(const spec& job);

/// Return true if a folder contains files of a checkpoint. @collective local
bool has_checkpoint(const std::string& directory);

/// File in the checkpoint folder with the restarts of a batch job (app/job/requeue.hpp).
inline constexpr const char* requeue_file = "requeue.json";

/// Text that identifies the progress of the checkpoints of a folder: finished solves, and solve and iteration of the latest
/// state; empty without a checkpoint. Equal texts mean that no iteration was computed. @collective local
std::string checkpoint_progress(const std::string& directory);

/// SHA-256 of all keys that affect the answers of a job. Excluded: [output], [picture], [run], [checkpoint], the name,
/// pistoia, and solve.max_iterations.
std::string digest_of_keys(const spec& job);

/// A checkpoint from which a job resumes. The checkpoint consists of the folder, the job file and the output directory.
struct resumable {
  std::string job_file, output_directory, directory;
  std::vector<std::string> changes;  ///< changes of keys that the user has requested in addition to the job file
};
/// @param directory folder of the checkpoint, a file in this folder, or the output directory that contains the folder
/// @throws data_error if there is no checkpoint @collective local
resumable find_resumable(const std::string& directory);

/// Stores the states of the solves of a job in two slots. In a batch job with a time limit, the last state is stored before
/// the end of the job, and the job stops. A slot contains a complete state or no state. Each finished solve
/// has a separate file.
class file_checkpointer final : public numerics::checkpointer {
 public:
  /// The object borrows the log.
  /// @throws data_error if a resumed job has no checkpoint in the directory @collective on part.where.comm
  file_checkpointer(const spec& job, const local_model& part, const checkpoint_options& options, log_sink& log);
  ~file_checkpointer() override;

  found begin() override;
  void restore(numerics::solver_state& state) override;
  bool is_due(std::int64_t done) override;
  void pass() override;
  void save(const numerics::solver_state& state) override;
  void finish(const numerics::solver_state& state) override;

  /// Remove the checkpoints of a finished job. @collective
  void remove();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::job
