#pragma once
/// @file
/// Computational costs of the stages of a job, as measured constants. A cost is a time in seconds on one core. The time is
/// linear in the size of a rank's part.
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>

namespace osteon::job {

/// Time of a stage in seconds on one core. The time has a constant part, and a part proportional to a size.
struct cost_line {
  double fixed = 0, of_unit = 0;
  double at(double units) const { return fixed + of_unit * units; }
};

/// Costs of a run of a job. The summary of the run contains the CPU time of each stage in seconds, summed over all ranks and
/// threads.
struct measured_run {
  double ranks = 1, threads = 1;
  double voxels = 0, unknowns = 0, pixels = 0;
  double reading = 0, set_up = 0, load = 0, solution = 0, writing = 0, picture = 0;
  double iterations = 0;
  std::map<std::string, double> parts;  ///< number of executions of each part of the solver; only if messages were counted
};

/// Read a run from a summary.json. The stage "solving" contains set-up and solution. `load` is the rest of this stage: the
/// time for loads and fields. Summaries of earlier versions contain only the wall times of set-up and solution. In this
/// case, the CPU time is divided in the ratio of the wall times.
/// @param pixels number of pixels of the picture; 0 without a picture
/// @throws data_error if the text is not a summary of a finished run
measured_run run_of_summary(const nlohmann::json& summary, double pixels, const std::string& name);

/// Constants of one physics on one machine.
struct stage_costs {
  std::string source;                 ///< description of the measurement
  cost_line start;                    ///< start of the ranks; independent of a size
  cost_line reading, writing;         ///< time per voxel of a rank
  cost_line set_up, load, iteration;  ///< time per unknown of a rank; `iteration` is an iteration of conjugate gradients
  /// time in s per pixel, summed over all ranks; linear in the number of voxels along an edge of the image
  cost_line picture;
  cost_line report;                     ///< independent of a size
  double iterations = 0;                ///< expected number of iterations
  double measured_unknowns = 0;         ///< number of unknowns of a rank in the larger run
  std::map<std::string, double> parts;  ///< number of executions of each part of the solver per iteration, if counted
  /// time with computation on all cores of a host, relative to the time with one active core
  double sharing = 1;
  double spread = 0;             ///< relative error of the times
  double iterations_spread = 0;  ///< relative error of `iterations`

  /// Time of an iteration in seconds. Times that were measured in the caches increase for larger parts. For each doubling of
  /// the unknowns of a rank, the increase is a twelfth. The total increase is a factor of at most 1.6
  /// (docs/reference/estimate.md).
  double seconds_of_iteration(double unknowns) const;
};

/// Fit lines through one run, or through two runs of the same job on pieces with different sizes. With one run, the constant
/// part is zero.
/// @param larger run with the expected number of iterations @param smaller second run, or null; the parts are those of the
/// run that counted parts
stage_costs costs_of(const measured_run& larger, const measured_run* smaller);

/// Constants in the entry of a physics, fitted on another machine (docs/reference/performance.md). The constants
/// have a relative error of about one half.
stage_costs costs_of_physics(const spec& job, const solver_work& work);

nlohmann::ordered_json to_json(const stage_costs& costs);
/// @throws data_error if the text is not a result of `to_json`
stage_costs parse_costs(const std::string& text, const std::string& name);

}  // namespace osteon::job
