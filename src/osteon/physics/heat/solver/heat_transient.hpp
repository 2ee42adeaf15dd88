#pragma once
/// @file
/// Transient heat conduction with implicit steps.
#include <functional>
#include <osteon/physics/heat/solver/heat.hpp>
#include <span>

namespace osteon::physics {

struct heat_record {
  double time_s = 0;
  double mean_K = 0, low_K = 0, high_K = 0;  ///< over the solid, at this time
  face_flows inflow_W{};                     ///< mean over the step that ends at this time
  double stored_W = 0;                       ///< rate of heat stored in the solid, mean over that step
};

/// Time stepping. Conditions and sources are constant in time.
struct time_plan {
  std::vector<double> heat_capacity_J_per_mm3K;  ///< density times specific heat, by material; > 0 for those in use
  double initial_K = 0;
  double end_s = 0;
  /// Shortened so that the end is reached after a whole number of steps.
  double step_s = 0;
  /// Weight of the new temperature in a step: 1 is implicit Euler, first order and without overshoot; 1/2 is
  /// Crank-Nicolson, second order, which may oscillate after a sudden change.
  double implicitness = 1;
  std::int64_t steps_per_record = 1;  ///< the last step is always recorded
  /// Called with the history up to each new record, time 0 included, and the temperatures per active cell at that time;
  /// called by all ranks. In a resumed run the first call is not the record of time 0.
  std::function<void(std::span<const heat_record> history, const std::vector<double>& temperature_K)> on_record{};
};

struct transient_solution {
  std::vector<double> temperature_K;  ///< per active cell, at the end
  double step_s = 0;                  ///< steps taken
  double source_W = 0;
  std::vector<heat_record> history;  ///< from time 0, with unknown flows, stored as zero
  std::array<face_match, 3> periodic_faces;
  solve_certificate
      certificate;  ///< iterations of all steps; residuals, imbalance and energy error are the maxima over the steps
};

/// Check the problem and the plan as `solve_transient` does, without solving.
/// @throws as solve_transient @collective on problem.where.comm
void check_transient(const heat_problem& problem, const time_plan& plan);

/// Step to the end. All active cells are unknowns.
/// Each step solves (C / (w dt) + K) d = (f - K T) / w for the change d of the temperatures, w the implicitness.
/// @throws as solve_heat, except that parts that cannot lose heat are allowed
/// @throws usage_error for an invalid plan @collective on problem.where.comm
transient_solution solve_transient(const heat_problem& problem, const time_plan& plan, const options& how, log_sink& log);

}  // namespace osteon::physics
