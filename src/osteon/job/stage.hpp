#pragma once
/// @file
/// The stages of a job as values. The stages are read, solve, write, picture, film and report. A run, a plan and an estimate
/// process the same list of stages.
#include <osteon/job/spec.hpp>
#include <osteon/job/stage_costs.hpp>
#include <span>

namespace osteon::job {

struct job_state;
struct planned_job;

/// Destinations of the results of a job. Results in memory are written only if the caller requests it.
enum class sinks { files, memory };

/// A row in the table of `estimate`. The row consists of core seconds from measured constants, and of messages for parts of
/// `plan job`.
struct stage_cost {
  enum class unit { none, voxels, unknowns, pixels };  ///< none: a single process executes the stage
  enum class turns { one, loads, iterations };
  const char* row;                       ///< name of the row, such as "set up"
  cost_line stage_costs::* seconds;      ///< time of each repetition in s
  unit of = unit::none;                  ///< unit for `seconds`; the number of units is that of the subdomain of a rank
  std::span<const char* const> parts{};  ///< parts with messages in each repetition
  turns often = turns::one;
  bool is_repeated = false;  ///< true if the stage is repeated for each changed image
};

struct stage {
  const char* name;  ///< read, solve, write, picture, film or report
  /// Return true if the job has this stage.
  bool (*is_requested)(const spec& job, sinks to);
  /// Compute the stage, and pass the results to the sinks of the job. @collective on state.comm
  void (*run)(job_state& state);
  /// Rows in the table of `estimate`. The messages of `plan` belong to the first part of the first row.
  std::span<const stage_cost> costs{};
  /// Count the messages on virtual ranks. Null: the stage has no messages, or its messages are unknown. @collective on
  /// planned.comm
  void (*plan)(planned_job& planned) = nullptr;
};

/// All stages in the order of execution.
std::span<const stage* const> all_stages();

}  // namespace osteon::job
