#pragma once
/// @file
/// Transient heat conduction with implicit steps.
#include <functional>
#include <osteon/physics/heat/solver/heat.hpp>
#include <span>

namespace osteon::physics {

struct heat_record {
  double time_s = 0;
  double mean_K = 0, low_K = 0, high_K = 0;  ///< temperatures of the solid at this time
  face_flows inflow_W{};                     ///< mean over the step that ends at this time
  /// mean rate of heat storage in the solid, over the step that ends at this time
  double stored_W = 0;
};

/// Plan of the time steps. Boundary conditions and sources are constant in time.
struct time_plan {
  /// density times specific heat for each material; positive for used materials
  std::vector<double> heat_capacity_J_per_mm3K;
  double initial_K = 0;
  double end_s = 0;
  double step_s = 0;  ///< length of a step; the solver reduces this length such that the number of steps is an integer
  /// Weight of the new temperature in a step. The weight 1 is implicit Euler. This scheme is of first order, and does not
  /// overshoot. The weight 1/2 is Crank-Nicolson. This scheme is of second order, but the temperature may oscillate after a
  /// sudden change.
  double implicitness = 1;
  std::int64_t steps_per_record = 1;  ///< number of steps between records; the last step is always recorded
  /// Function that is called on all ranks after each record, including the record at time 0. The arguments are the history
  /// up to this record, and the temperature of each active cell. In a resumed run, the function is not called again for
  /// earlier records.
  std::function<void(std::span<const heat_record> history, const std::vector<double>& temperature_K)> on_record{};
};

struct transient_solution {
  std::vector<double> temperature_K;  ///< temperature of each active cell at the end
  double step_s = 0;                  ///< length of the time steps
  double source_W = 0;
  /// the first record is at time 0; heat flows at time 0 are unknown, and are set to zero
  std::vector<heat_record> history;
  std::array<face_match, 3> periodic_faces;
  /// sum of the iterations, and maxima over the steps of residuals, imbalance and energy error
  solve_certificate certificate;
};

/// Check the problem and the plan like `solve_transient`, and compute no solution.
/// @throws errors of solve_transient @collective on problem.where.comm
void check_transient(const heat_problem& problem, const time_plan& plan);

/// Integrate to the end time. All active cells are unknowns. Each step solves (C / (w dt) + K) d = (f - K T) / w. d is the
/// change of the temperatures, and w is the implicitness.
/// @throws errors of solve_heat; however, parts without a heat sink are allowed
/// @throws usage_error for an invalid plan @collective on problem.where.comm
transient_solution solve_transient(const heat_problem& problem, const time_plan& plan, const options& options,
                                   log_sink& log);

}  // namespace osteon::physics
