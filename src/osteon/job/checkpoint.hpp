#pragma once
/// @file
/// Checkpoints of a job (docs/reference/checkpoint.md): when they are written, where, and what is continued.
#include <memory>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <string>

namespace osteon::job {

struct local_model;

/// What the caller of a job may want of its checkpoints.
struct checkpoint_options {
  bool resume = false;          ///< continue from what lies in the directory, if there is something
  stop_query is_to_stop{};      ///< asked between iterations and steps on every rank: write and end
  bool trace_messages = false;  ///< count what is sent, by plan, and say so in the summary
  bool replace = false;         ///< earlier results in the output folder need not be kept
};

/// The folder of a job's checkpoints.
std::string checkpoint_directory(const spec& job);

/// Whether files of checkpoints lie in a folder. @collective local
bool has_checkpoint(const std::string& directory);

/// SHA-256 of all keys of a job that its answers depend on; so not of [output], [picture], [run], [checkpoint], the name,
/// pistoia, or solve.max_iterations.
std::string digest_of_keys(const spec& job);

/// Where to go on: the job file and the output directory of the checkpoint in a folder, and that folder.
struct resumable {
  std::string job_file, output_directory, directory;
  std::vector<std::string> changes;  ///< of the job file's keys, that the job was started with
};
/// @param directory it, a file in it, or the output directory it lies in
/// @throws data_error if there is no checkpoint @collective local
resumable find_resumable(const std::string& directory);

/// Keeps the states of a job's solves in two slots, each of which is whole or absent, and in a file for each solve that is
/// done.
class file_checkpointer final : public numerics::checkpointer {
 public:
  /// Borrows the log.
  /// @throws data_error if resuming, and nothing that lies there is of this job @collective on part.where.comm
  file_checkpointer(const spec& job, const local_model& part, const checkpoint_options& how, log_sink& log);
  ~file_checkpointer() override;

  found begin() override;
  void restore(numerics::solver_state& state) override;
  bool is_due(std::int64_t done) override;
  void pass() override;
  void save(const numerics::solver_state& state) override;
  void finish(const numerics::solver_state& state) override;

  /// The job is done: remove its checkpoints. @collective
  void remove();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::job
