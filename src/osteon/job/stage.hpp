#pragma once
/// @file
/// The stages of a job as values: read, solve, write, picture, film, report. A run, a plan
/// and an estimate walk along their list.
#include <osteon/job/spec.hpp>
#include <osteon/job/stage_costs.hpp>
#include <span>

namespace osteon::job {

struct job_state;
struct planned_job;

/// Where the results of a job go. Results in memory are written when the caller asks for it.
enum class sinks { files, memory };

/// A row of `estimate`: seconds of a core by the constants of compute, and the messages of parts of `plan job`.
struct stage_cost {
  enum class unit { none, voxels, unknowns, pixels };  ///< none: one process does it
  enum class turns { one, loads, iterations };
  const char* row;                       ///< "set up"
  cost_line stage_costs::* seconds;      ///< of each turn
  unit of = unit::none;                  ///< of that line, for the part of a rank
  std::span<const char* const> parts{};  ///< their messages are sent in each turn
  turns often = turns::one;
  bool is_repeated = false;  ///< for each changed image
};

struct stage {
  const char* name;  ///< read, solve, write, picture, film, report
  /// Return true if the job has this stage.
  bool (*is_asked_for)(const spec& job, sinks to);
  /// Compute, and hand the results to the sinks of the job. @collective on state.comm
  void (*run)(job_state& state);
  /// Rows of `estimate`. The first part of the first one has what `plan` sends.
  std::span<const stage_cost> costs{};
  /// Count the messages on virtual ranks; null: there are none, or they are not known. @collective on planned.comm
  void (*plan)(planned_job& planned) = nullptr;
};

/// All stages in their order.
std::span<const stage* const> all_stages();

}  // namespace osteon::job
