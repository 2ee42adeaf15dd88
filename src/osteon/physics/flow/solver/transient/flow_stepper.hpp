#pragma once
/// @file
/// Transient flow: the state, and one step.
#include <optional>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/solver/openings/momentum_limiter.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>
#include <osteon/physics/flow/solver/transient/momentum_solver.hpp>
#include <osteon/physics/flow/solver/transient/period_rate.hpp>
#include <osteon/physics/flow/solver/transient/pressure_projection.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Incremental pressure projection, second order in time [VanKan1986]. The divergence of the intermediate velocity
/// corrects the pressure (rotational form, [BrownCortezMinion2001]):
///   (sigma M + w A) (u* - u) = b - A u - G p - C,   C = 3/2 C(u) u - 1/2 C of the previous step (Adams-Bashforth),
///   sigma M (u+ - u*) = -G phi,  G^T u+ = 0,   p+ = p + phi + w G^T u*,
/// with sigma = density length^2 / (viscosity step) and w the implicitness. A stationary state solves the steady equations
/// for any step. Steps may differ in length.
class flow_stepper {
 public:
  struct settings {
    double implicitness = 0.5;  ///< implicitness of friction: 1/2 Crank-Nicolson, 1 Euler
    double tolerance =
        1e-4;  ///< limit of |div u| times length over the highest velocity; limit of force errors relative to the forces
    int max_iterations = 500;  ///< limit for each linear system
    std::function<void()> poll{};
    std::optional<std::size_t> rate_axis{};  ///< axis of a controlled flow rate over the period
  };
  /// Results of a step.
  struct step_result {
    int friction_iterations = 0, pressure_iterations = 0;
    double divergence = 0;  ///< divergence in the measure of the tolerance
    double change = 0;      ///< largest change of a velocity over the highest velocity
    bool converged = true;  ///< the linear systems converged
  };

  /// @param open, problem stored by reference @collective on the problem's communicator
  flow_stepper(const open_flow_cells& open, const through_problem& problem, const flow_units& units, settings options,
               pressure_method method = pressure_method::automatic);

  /// Conditions at one time. @param given prescribed velocities @param right positions and values of b
  struct conditions {
    flow_entries given, right;
    double rate = 0;        ///< sum of the velocities through the face at the end of the period of rate_axis
    double rate_per_s = 0;  ///< rate of change of `rate`
  };
  /// Set the conditions of the start. The conditions apply until step() receives other conditions.
  void set_conditions(const conditions& now);
  /// Set the force on velocities for start() and the following steps, until the next call.
  void set_body_force(flow_entries force) { body_force_ = std::move(force); }
  /// Velocities and pressures, shape (4, stride), to be set before start(); ghosts need not be current.
  std::vector<double>& state() { return x_; }
  const std::vector<double>& state() const { return x_; }
  /// Project the velocities to conserve mass, and compute the corresponding pressure.
  /// @param is_sudden each of the first two steps consists of two implicit Euler half-steps; the half-steps damp
  /// inconsistencies between velocities, walls and openings [Rannacher1984] @collective
  step_result start(bool is_sudden);
  /// Start from a saved state, or from a state that solves the steady equations. @collective
  void go_on();

  /// @param from, to conditions at the beginning and the end of the step; null: constant. The conditions change linearly
  /// within the step. The implicitness of friction weights the conditions and the velocities at the two ends of the step.
  /// @collective
  step_result step(double step_s, const conditions* from = nullptr, const conditions* to = nullptr);
  /// Perform the communication of a step, and all other communication once, on virtual ranks. @collective
  void count_messages(double step_s);

  /// Present largest sum of |velocity| / spacing over the axes [1/s], and the growth rate of this sum at the start [1/s2].
  double courant_rate() const { return rate_; }
  double courant_growth() const { return growth_; }
  /// Kinetic energy [J]. @collective
  double kinetic_energy() const;
  /// Velocities and pressure at the current time; ghosts current. @collective
  std::vector<double> answer() const;
  /// The pressure of an owned cell at the time of the velocities, as in answer(). @collective local
  double pressure_now(std::int32_t cell) const {
    const std::size_t i = static_cast<std::size_t>(cell);
    return x_[3 * static_cast<std::size_t>(stride()) + i] + (extrapolates_pressure() ? phi_[i] / 2 : 0);
  }
  /// The drop over the period of rate_axis at the time of the velocities, in units of the pressure. @collective local
  double period_drop() const { return drop_ + (extrapolates_pressure() ? drop_change_ / 2 : 0); }
  /// The drop of a state that solves the steady equations.
  void set_period_drop(double drop) { drop_ = drop, drop_change_ = 0; }
  /// Convection of the present velocities; null: creeping flow. @collective
  const flow_convection* inertia();
  double upwinded_share() const { return problem_.has_inertia ? convection_.upwinded_share() : 0; }

  /// Return true if transforms solve the pressure system.
  bool has_direct_pressure() const { return projection_.is_direct(); }
  const std::string& reason_for_multigrid() const { return projection_.reason_for_multigrid(); }

  /// Kernel work of all steps on this rank.
  kernel_work work() const;

  /// The complete state for the next step. @collective local
  solver_state saved();
  /// Restore after saved() was filled in. @collective
  void restored(const solver_state& from);

 private:
  step_result substep(double step_s, double implicitness, double begin, double end);
  void begin_rate(step_result& result);
  void control_rate(double sigma, double implicitness, double end, step_result& result);
  period_rate::tolerances rate_tolerances() const;
  void set_given(double share);
  void find_forces();
  void find_convection();
  void find_courant_rate();
  // True if the velocities are half a step ahead of the pressure. In this case the pressure belongs to the middle of the
  // last step.
  bool extrapolates_pressure() const;
  double highest_velocity() const;
  double length_of(const double* v) const;
  double gradient_length() const;
  std::int64_t stride() const { return cells_.stride(); }

  const open_flow_cells& open_;
  const flow_cells& cells_;
  const through_problem& problem_;
  flow_units units_;
  settings options_;
  double memory_s_;  // density length^2 / viscosity
  kernel::stokes_stencil<double> stencil_;
  flow_convection convection_;
  std::unique_ptr<momentum_limiter> limiter_;  // null: no convection
  momentum_solver momentum_;
  pressure_projection projection_;
  flow_entries right_, body_force_;
  std::optional<period_rate> rate_control_;
  double wanted_rate_ = 0, wanted_rate_per_s_ = 0;    // rate for constant conditions, or at the start
  double drop_ = 0, drop_change_ = 0;                 // drop over the period in the last step, and the increment of the drop
  const conditions *from_ = nullptr, *to_ = nullptr;  // conditions of the current step
  std::vector<double> x_, change_, force_, before_;
  std::vector<double> carried_, carried_before_;  // C(x) x now and at the previous step
  std::vector<double> phi_, d_, divergence_;
  std::array<std::vector<float>, 3> centre_;  // memory of saved()
  bool is_carried_ = false;                   // carried_ corresponds to x_
  double last_step_s_ = 0, rate_ = 0, growth_ = 0;
  std::int64_t steps_ = 0, substeps_ = 0;
  bool damps_ = false;  // the start was not smooth
};

}  // namespace osteon::physics
