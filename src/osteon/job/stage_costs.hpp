#pragma once
/// @file
/// What the stages of a job compute, as measured constants: seconds of one core as a line over the size of a rank's part.
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>

namespace osteon::job {

/// Seconds that a stage takes on one core: a part that is the same for any size, and one that grows with it.
struct cost_line {
  double fixed = 0, of_unit = 0;
  double at(double units) const { return fixed + of_unit * units; }
};

/// A run of a job as its summary tells it: CPU seconds of each stage, all ranks and threads together.
struct measured_run {
  double ranks = 1, threads = 1;
  double voxels = 0, unknowns = 0, pixels = 0;
  double reading = 0, set_up = 0, load = 0, solution = 0, writing = 0, picture = 0;
  double iterations = 0;
  std::map<std::string, double> parts;  ///< how often parts of the solver happened, if its messages were traced
};

/// Read it from a summary.json. Of the stage "solving" set-up and solution are known; the rest of it, which makes loads and
/// fields, is `load`. Summaries of earlier versions tell wall seconds of set-up and solution only: it is split in their
/// ratio.
/// @param pixels of the picture, if there is one
/// @throws data_error if the text is no summary of a finished run
measured_run run_of_summary(const nlohmann::json& summary, double pixels, const std::string& name);

/// Constants of one physics on one machine.
struct stage_costs {
  std::string source;                   ///< what was measured, in words
  cost_line start;                      ///< of the ranks; no units
  cost_line reading, writing;           ///< voxels of a rank
  cost_line set_up, load, iteration;    ///< unknowns of a rank; an iteration of conjugate gradients
  cost_line picture;                    ///< of a pixel, all ranks together; voxels along an edge of the image
  cost_line report;                     ///< no units
  double iterations = 0;                ///< expected
  double measured_unknowns = 0;         ///< of a rank, of the larger run
  std::map<std::string, double> parts;  ///< times for each iteration that a part of the solver happens, if it was counted
  double sharing = 1;                   ///< times as long with all cores of a host at work as with one
  double spread = 0;                    ///< relative error of the seconds
  double iterations_spread = 0;         ///< relative error of `iterations`

  /// Seconds of an iteration. What is measured in the caches takes longer beyond them: a twelfth for each time that a rank
  /// has twice the unknowns, 1.6 times at most (docs/reference/estimate.md).
  double seconds_of_iteration(double unknowns) const;
};

/// Lines through one run, or through two of the same job on pieces of different size. With one, nothing is fixed.
/// @param larger its iterations are those expected @param smaller may be null; parts are those of the run that counted them
stage_costs costs_of(const measured_run& larger, const measured_run* smaller);

/// What a physics says of itself: fitted on another machine (docs/reference/performance.md), so off by half.
stage_costs costs_of_physics(const spec& job, const solver_work& work);

nlohmann::ordered_json to_json(const stage_costs& costs);
/// @throws data_error if that is no text of `to_json`
stage_costs parse_costs(const std::string& text, const std::string& name);

}  // namespace osteon::job
