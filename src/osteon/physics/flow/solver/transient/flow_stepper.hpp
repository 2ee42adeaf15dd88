#pragma once
/// @file
/// Transient flow. The file contains the state of the flow and one step.
#include <optional>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/solver/openings/momentum_limiter.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>
#include <osteon/physics/flow/solver/transient/momentum_solver.hpp>
#include <osteon/physics/flow/solver/transient/period_rate.hpp>
#include <osteon/physics/flow/solver/transient/pressure_projection.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Incremental pressure projection, of second order in time [VanKan1986]. The divergence of the intermediate velocity
/// corrects the pressure (rotational form, [BrownCortezMinion2001]):
///   (sigma M + w A) (u* - u) = b - A u - G p - C,   C = 3/2 C(u) u - 1/2 C of the previous step (Adams-Bashforth),
///   sigma M (u+ - u*) = -G phi,  G^T u+ = 0,   p+ = p + phi + w G^T u*,
/// with sigma = density length^2 / (viscosity step). w is the implicitness. For any step length, a stationary state solves
/// the steady equations. Steps may differ in length.
class flow_stepper {
 public:
  struct settings {
    double implicitness = 0.5;  ///< implicitness of friction: 1/2 is Crank-Nicolson, 1 is Euler
    /// limit of |div u| times length divided by the highest velocity; also the limit of the errors of forces relative to
    /// the forces
    double tolerance = 1e-4;
    int max_iterations = 500;  ///< maximum number of iterations for each linear system
    std::function<void()> poll{};
    std::optional<std::size_t> rate_axis{};  ///< axis of a controlled flow rate over the period
  };
  /// Results of a step.
  struct step_result {
    int friction_iterations = 0, pressure_iterations = 0;
    double divergence = 0;  ///< divergence of the velocities, in the measure of the tolerance
    double change = 0;      ///< largest change of a velocity divided by the highest velocity
    bool converged = true;  ///< true if the linear systems have converged
  };

  /// @param open, problem borrowed @collective on the communicator of the problem
  flow_stepper(const open_flow_cells& open, const through_problem& problem, const flow_units& units, settings options,
               pressure_method method = pressure_method::automatic);

  /// Conditions at a time. @param given prescribed velocities @param right positions and values of b
  struct conditions {
    flow_entries given, right;
    double rate = 0;        ///< sum of the velocities through the face at the end of the period along rate_axis
    double rate_per_s = 0;  ///< time derivative of `rate`
  };
  /// Set the conditions at the start. The conditions apply until step() receives other conditions.
  void set_conditions(const conditions& now);
  /// Set the force on velocities for start() and subsequent steps. The force applies until the next call.
  void set_body_force(flow_entries force) { body_force_ = std::move(force); }
  /// Velocities and pressures with shape (4, stride). Set this state before start(). Ghosts need not be current.
  std::vector<double>& state() { return x_; }
  const std::vector<double>& state() const { return x_; }
  /// Project the velocities onto velocities that conserve mass, and compute the corresponding pressure.
  /// @param is_sudden true: each of the first two steps consists of two half-steps of implicit Euler; the half-steps damp
  /// inconsistencies between velocities, walls and openings [Rannacher1984] @collective
  step_result start(bool is_sudden);
  /// Continue from a saved state, or from a state that solves the steady equations. @collective
  void go_on();

  /// @param from, to conditions at the beginning and at the end of the step; null: the conditions are constant. The
  /// conditions change linearly within the step. The implicitness of friction is the weight of the conditions and velocities
  /// at the end of the step.
  /// @collective
  step_result step(double step_s, const conditions* from = nullptr, const conditions* to = nullptr);
  /// Execute the communication of a step, and all other communication, once on virtual ranks. @collective
  void count_messages(double step_s);

  /// Present maximum over the cells of the sum of |velocity| / spacing over the axes [1/s], and growth rate of this maximum
  /// at the start [1/s2].
  double courant_rate() const { return rate_; }
  double courant_growth() const { return growth_; }
  /// Kinetic energy [J]. @collective
  double kinetic_energy() const;
  /// Velocities and pressure at the current time; ghosts current. @collective
  std::vector<double> answer() const;
  /// Pressure of an owned cell at the time of the velocities, as in answer(). @collective local
  double pressure_now(std::int32_t cell) const {
    const std::size_t i = static_cast<std::size_t>(cell);
    return x_[3 * static_cast<std::size_t>(stride()) + i] + (extrapolates_pressure() ? phi_[i] / 2 : 0);
  }
  /// Pressure drop over the period along rate_axis at the time of the velocities, in the unit of the pressure. @collective
  /// local
  double period_drop() const { return drop_ + (extrapolates_pressure() ? drop_change_ / 2 : 0); }
  /// Set the pressure drop of a state that solves the steady equations.
  void set_period_drop(double drop) { drop_ = drop, drop_change_ = 0; }
  /// Convection of the present velocities. For creeping flow, the result is null. @collective
  const flow_convection* inertia();
  double upwinded_share() const { return problem_.has_inertia ? convection_.upwinded_share() : 0; }

  /// Return true if transforms solve the pressure system.
  bool has_direct_pressure() const { return projection_.is_direct(); }
  const std::string& reason_for_multigrid() const { return projection_.reason_for_multigrid(); }

  /// Work of the kernels in all steps on this rank.
  kernel_work work() const;

  /// The complete state that the next step needs. @collective local
  solver_state saved();
  /// Restore the state after the vectors of saved() have been set. @collective
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
  // True if the time of the velocities is half a step after the time of the pressure. In this case, the pressure is that in
  // the middle of the last step.
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
  double wanted_rate_ = 0, wanted_rate_per_s_ = 0;  // given flow rate for constant conditions, or at the start
  // pressure drop over the period in the last step, and change of this drop
  double drop_ = 0, drop_change_ = 0;
  const conditions *from_ = nullptr, *to_ = nullptr;  // conditions of the current step
  std::vector<double> x_, change_, force_, before_;
  std::vector<double> carried_, carried_before_;  // C(x) x at present and at the previous step
  std::vector<double> phi_, d_, divergence_;
  std::array<std::vector<float>, 3> centre_;  // memory for saved()
  bool is_carried_ = false;                   // true if carried_ is the convection of x_
  double last_step_s_ = 0, rate_ = 0, growth_ = 0;
  std::int64_t steps_ = 0, substeps_ = 0;
  bool damps_ = false;  // true if the start was not smooth
};

}  // namespace osteon::physics
