#pragma once
/// @file
/// Computational costs of the stages of a job, as measured constants. A cost is a number of seconds of one core, and is
/// linear in the size of a rank's part.
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>

namespace osteon::job {

/// Seconds of a stage on one core: a constant part, and a part proportional to size.
struct cost_line {
  double fixed = 0, of_unit = 0;
  double at(double units) const { return fixed + of_unit * units; }
};

/// A run of a job, read from its summary: CPU seconds of each stage, summed over all ranks and threads.
struct measured_run {
  double ranks = 1, threads = 1;
  double voxels = 0, unknowns = 0, pixels = 0;
  double reading = 0, set_up = 0, load = 0, solution = 0, writing = 0, picture = 0;
  double iterations = 0;
  std::map<std::string, double> parts;  ///< number of executions of parts of the solver, if messages were traced
};

/// Read a run from a summary.json. The stage "solving" contains set-up and solution; the remainder, for loads and fields, is
/// `load`. Summaries of earlier versions contain only wall seconds of set-up and solution. The CPU time is then divided in
/// the ratio of the wall seconds.
/// @param pixels of the picture, if there is one
/// @throws data_error if the text is not a summary of a finished run
measured_run run_of_summary(const nlohmann::json& summary, double pixels, const std::string& name);

/// Constants of one physics on one machine.
struct stage_costs {
  std::string source;                   ///< description of the measurement
  cost_line start;                      ///< start of the ranks; no units
  cost_line reading, writing;           ///< per voxel of a rank
  cost_line set_up, load, iteration;    ///< per unknown of a rank; `iteration`: of conjugate gradients
  cost_line picture;                    ///< seconds per pixel of all ranks, linear in the voxels along an edge of the image
  cost_line report;                     ///< no units
  double iterations = 0;                ///< expected number of iterations
  double measured_unknowns = 0;         ///< unknowns of a rank in the larger run
  std::map<std::string, double> parts;  ///< executions of a part of the solver per iteration, if counted
  double sharing = 1;                   ///< slow-down if all cores of a host compute, relative to one core
  double spread = 0;                    ///< relative error of the seconds
  double iterations_spread = 0;         ///< relative error of `iterations`

  /// Seconds of an iteration. Times that were measured within the caches increase for larger parts. The increase is a
  /// twelfth per doubling of the unknowns of a rank, and a factor of 1.6 at most (docs/reference/estimate.md).
  double seconds_of_iteration(double unknowns) const;
};

/// Fit lines through one run, or through two runs of the same job on pieces of different size. With one run, the constant
/// part is zero.
/// @param larger run with the expected number of iterations @param smaller second run, or null; the parts are from the run
/// that counted them
stage_costs costs_of(const measured_run& larger, const measured_run* smaller);

/// Constants of the entry of a physics. They were fitted on another machine (docs/reference/performance.md), and have a
/// relative error of about one half.
stage_costs costs_of_physics(const spec& job, const solver_work& work);

nlohmann::ordered_json to_json(const stage_costs& costs);
/// @throws data_error if the text was not written by `to_json`
stage_costs parse_costs(const std::string& text, const std::string& name);

}  // namespace osteon::job
