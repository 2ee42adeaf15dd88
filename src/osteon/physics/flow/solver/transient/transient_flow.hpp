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
  rest,      ///< at rest; the conditions accelerate the fluid at time 0
  creeping,  ///< flow without inertia
  steady     ///< the steady flow with inertia
};

/// Time stepping.
struct flow_time_plan {
  double end_s = 0;
  /// Step length, reduced to a whole number of steps until the end. 0: adaptive steps, limited by `courant`.
  double step_s = 0;
  /// Largest sum over the axes of |velocity| step / spacing in a step. A fixed step with a larger sum is rejected.
  double courant = 0.5;
  double implicitness = 0.5;  ///< implicitness of friction: 1/2 is Crank-Nicolson, 1 is Euler
  double record_every_s = 0;  ///< 0: every step; the end is always recorded
  flow_start start = flow_start::rest;
  double steady_change_per_s = 0;  ///< stop before the end if all relative velocity changes are slower; 0: disabled
  bool has_fields = false;         ///< pass fields to on_record
  /// Called by all ranks with the fields at the start (or at a restored state) and after each step. May be empty. @cost
  /// computation of the velocities at all centres, once per step
  std::function<void(double time_s, const through_solution& fields)> on_step{};
  carried_quantity* carries = nullptr;  ///< stored by reference; null: no transport
};

struct flow_record {
  double time_s = 0;
  double step_s = 0, courant = 0;  ///< length of the step before the record; largest Courant number since the last record
  double divergence = 0;           ///< largest |div u| times voxel over the highest velocity since the last record
  double kinetic_energy_J = 0;     ///< kinetic energy of the moving fluid
  double change_per_s = 0;  ///< largest change of a velocity in the step before the record, relative to the highest velocity
  std::int64_t steps = 0;   ///< number of completed steps
  std::int64_t iterations = 0;  ///< iterations of friction and of the pressure
  through_flow flow;
};

struct transient_flow_solution {
  through_solution end;              ///< the flow at the end, with fields
  std::vector<flow_record> history;  ///< from time 0
  std::int64_t steps = 0, friction_iterations = 0, pressure_iterations = 0;
  double shortest_step_s = 0, longest_step_s = 0, highest_courant = 0, highest_divergence = 0;
  bool is_steady = false;            ///< the flow was steady before end_s
  bool has_direct_pressure = false;  ///< transforms solve the pressure system: the fluid fills a box
  solve_certificate certificate;     ///< true_relative_residual: highest_divergence
};

/// Called by all ranks after each new record, including time 0, with the history up to the record. If the plan requests
/// fields, the call includes the fields at the time of the record. In a resumed run the first call is not the record of
/// time 0.
using flow_record_taker = std::function<void(std::span<const flow_record> history, const through_solution& fields)>;

/// Run the checks of solve_transient_flow without a solution.
/// @throws as solve_transient_flow @collective on problem.where.comm
void check_transient_flow(const through_problem& problem, const flow_time_plan& plan, const through_options& options);

/// Compute time steps to the end. `options.tolerance` limits the divergence of a flow_record, the error of forces and the
/// residual of the initial flow.
///
/// A linear system that misses the tolerance is not an error, and a steady initial flow without convergence is not an
/// error. In both cases certificate.converged is false, and the result contains the last step.
/// @param checkpoints null: no checkpoints
/// @throws usage_error for an invalid plan, or a step that is too long for a known velocity
/// @throws solve_error if a step becomes too long during the run, or a value is not finite
/// @throws as solve_flow_through @collective on problem.where.comm: all ranks throw the same
transient_flow_solution solve_transient_flow(const through_problem& problem, const flow_time_plan& plan,
                                             const through_options& options, checkpointer* checkpoints,
                                             const flow_record_taker& on_record, log_sink& log);

}  // namespace osteon::physics
