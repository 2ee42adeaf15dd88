#pragma once
/// @file
/// Transient flow between openings.
#include <functional>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/transient/carried_quantity.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <span>

namespace osteon::physics {

/// Initial state of the fluid at time 0.
enum class flow_start {
  rest,      ///< rest; at time 0, the conditions accelerate the fluid
  creeping,  ///< flow without inertia
  steady     ///< the steady flow with inertia
};

/// Parameters of the time steps.
struct flow_time_plan {
  double end_s = 0;
  /// Length of a step. The solver reduces this length such that the number of steps is an integer. 0: the steps are
  /// adaptive, and `courant` limits their length.
  double step_s = 0;
  /// Largest sum over the axes of |velocity| step / spacing in a step. A fixed step with a larger sum causes an error.
  double courant = 0.5;
  double implicitness = 0.5;  ///< implicitness of friction: 1/2 is Crank-Nicolson, 1 is Euler
  double record_every_s = 0;  ///< time between records; 0: every step is recorded; the end is always recorded
  flow_start start = flow_start::rest;
  double steady_change_per_s = 0;  ///< stop before the end if all relative changes of velocities are slower; 0: no such stop
  bool has_fields = false;         ///< true: pass fields to on_record
  /// Function that all ranks call with the fields at the start (or at a restored state), and after each step. The function
  /// may be empty. @cost in each step, the velocities at all centres are computed
  std::function<void(double time_s, const through_solution& fields)> on_step{};
  carried_quantity* carries = nullptr;  ///< borrowed; null: the flow transports no quantity
};

struct flow_record {
  double time_s = 0;
  /// length of the step before the record, and largest Courant number since the previous record
  double step_s = 0, courant = 0;
  /// largest |div u| times voxel edge divided by the highest velocity, since the previous record
  double divergence = 0;
  double kinetic_energy_J = 0;  ///< kinetic energy of the moving fluid
  double change_per_s = 0;  ///< largest change of a velocity in the step before the record, relative to the highest velocity
  std::int64_t steps = 0;   ///< number of completed steps
  std::int64_t iterations = 0;  ///< number of iterations for friction and for the pressure
  through_flow flow;
};

struct transient_flow_solution {
  through_solution end;              ///< the flow at the end, including fields
  std::vector<flow_record> history;  ///< records since time 0
  std::int64_t steps = 0, friction_iterations = 0, pressure_iterations = 0;
  double shortest_step_s = 0, longest_step_s = 0, highest_courant = 0, highest_divergence = 0;
  bool is_steady = false;            ///< true if the flow became steady before end_s
  bool has_direct_pressure = false;  ///< true if transforms solve the pressure system, because the fluid fills a box
  solve_certificate certificate;     ///< true_relative_residual contains the highest divergence
};

/// Function that all ranks call after each new record, including the record at time 0. The argument is the history up to
/// this record. If the plan requests fields, the function also receives the fields at the time of the record. In a resumed
/// run, the first call is not for the record at time 0.
using flow_record_taker = std::function<void(std::span<const flow_record> history, const through_solution& fields)>;

/// Execute the checks of solve_transient_flow, and compute no solution.
/// @throws errors of solve_transient_flow @collective on problem.where.comm
void check_transient_flow(const through_problem& problem, const flow_time_plan& plan, const through_options& options);

/// Compute time steps to the end. `options.tolerance` limits the divergence of a flow_record, the error of forces, and the
/// residual of the initial flow.
///
/// If a linear system misses the tolerance, or if a steady initial flow does not converge, no error is thrown. In these
/// cases, certificate.converged is false, and the result contains the last step.
/// @param checkpoints null: no checkpoints
/// @throws usage_error for an invalid plan, or if the step is too long for a known velocity
/// @throws solve_error if a step becomes too long during the run, or if a value is not finite
/// @throws errors of solve_flow_through @collective on problem.where.comm; all ranks throw the same error
transient_flow_solution solve_transient_flow(const through_problem& problem, const flow_time_plan& plan,
                                             const through_options& options, checkpointer* checkpoints,
                                             const flow_record_taker& on_record, log_sink& log);

}  // namespace osteon::physics
