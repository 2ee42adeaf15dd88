#pragma once
/// @file
/// Transient heat conduction with implicit steps.
#include <functional>
#include <osteon/physics/heat/solver/heat.hpp>
#include <span>

namespace osteon::physics {

struct heat_record {
  double time_s = 0;
  double mean_K = 0, low_K = 0, high_K = 0;  ///< temperatures over the solid, at this time
  face_flows inflow_W{};                     ///< mean over the step that ends at this time
  double stored_W = 0;                       ///< mean rate of heat storage in the solid over the step that ends at this time
};

/// Plan of the time steps. Boundary conditions and sources are constant in time.
struct time_plan {
  std::vector<double> heat_capacity_J_per_mm3K;  ///< density times specific heat, by material; positive for materials in use
  double initial_K = 0;
  double end_s = 0;
  double step_s = 0;  ///< step length, reduced to an integer number of steps until the end
  /// Weight of the new temperature in a step. The weight 1 is implicit Euler, of first order and without overshoot. The
  /// weight 1/2 is Crank-Nicolson, of second order; the temperature can oscillate after a sudden change.
  double implicitness = 1;
  std::int64_t steps_per_record = 1;  ///< the last step is always recorded
  /// Called on all ranks after each record, time 0 included, with the history up to the record and the temperatures per
  /// active cell. A resumed run does not repeat the calls for earlier records.
  std::function<void(std::span<const heat_record> history, const std::vector<double>& temperature_K)> on_record{};
};

struct transient_solution {
  std::vector<double> temperature_K;  ///< per active cell, at the end
  double step_s = 0;                  ///< size of the time steps
  double source_W = 0;
  std::vector<heat_record> history;  ///< the first record is at time 0; the heat flows at time 0 are unknown and set to zero
  std::array<face_match, 3> periodic_faces;
  solve_certificate certificate;  ///< sum of the iterations; maxima of residuals, imbalance and energy error over the steps
};

/// Check the problem and the plan as `solve_transient` does, without a solution.
/// @throws as solve_transient @collective on problem.where.comm
void check_transient(const heat_problem& problem, const time_plan& plan);

/// Integrate to the end time. All active cells are unknowns. Each step solves (C / (w dt) + K) d = (f - K T) / w for the
/// change d of the temperatures, with the implicitness w.
/// @throws as solve_heat, except that parts without a heat sink are allowed
/// @throws usage_error for an invalid plan @collective on problem.where.comm
transient_solution solve_transient(const heat_problem& problem, const time_plan& plan, const options& options,
                                   log_sink& log);

}  // namespace osteon::physics
