#pragma once
/// @file
/// The stages of a job as values: read, solve, write, picture, film, report. A run, a plan and an estimate iterate over the
/// list of stages.
#include <osteon/job/spec.hpp>
#include <osteon/job/stage_costs.hpp>
#include <span>

namespace osteon::job {

struct job_state;
struct planned_job;

/// Destinations of the results of a job. Results in memory are written on request of the caller.
enum class sinks { files, memory };

/// A row of the table of `estimate`: core seconds from measured constants, and messages of the parts of `plan job`.
struct stage_cost {
  enum class unit { none, voxels, unknowns, pixels };  ///< none: executed by one process
  enum class turns { one, loads, iterations };
  const char* row;                       ///< name of the row, such as "set up"
  cost_line stage_costs::* seconds;      ///< seconds of each repetition
  unit of = unit::none;                  ///< unit of `seconds`, counted for the subdomain of a rank
  std::span<const char* const> parts{};  ///< parts whose messages are sent in each repetition
  turns often = turns::one;
  bool is_repeated = false;  ///< the stage is repeated for each changed image
};

struct stage {
  const char* name;  ///< read, solve, write, picture, film, report
  /// Return true if the job has this stage.
  bool (*is_requested)(const spec& job, sinks to);
  /// Compute, and pass the results to the sinks of the job. @collective on state.comm
  void (*run)(job_state& state);
  /// Rows of `estimate`. The messages of `plan` belong to the first part of the first row.
  std::span<const stage_cost> costs{};
  /// Count the messages on virtual ranks; null: no messages, or unknown. @collective on planned.comm
  void (*plan)(planned_job& planned) = nullptr;
};

/// All stages in order of execution.
std::span<const stage* const> all_stages();

}  // namespace osteon::job
