#pragma once
/// @file
/// The equations of flow with inertia between openings: their residual, products and preconditioner.
#include <memory>
#include <osteon/numerics/kernel_work.hpp>
#include <osteon/physics/flow/solver/openings/convection.hpp>
#include <osteon/physics/flow/solver/openings/momentum_limiter.hpp>
#include <osteon/physics/flow/solver/openings/through_system.hpp>
#include <osteon/physics/flow/solver/openings/transport_cycle.hpp>
#include <vector>

namespace osteon::physics {

struct through_problem;

/// Linear problem of a step. In a Picard step, only the advected velocity is unknown. In a Newton step, the advecting
/// velocity is also unknown.
enum class linear_step { picard, newton };

/// The equations are K x + C(x) x = b. An implicit Euler step adds h (x - x at the start of the step) for velocities on the
/// left-hand side. P is block triangular, as for creeping flow. For velocities, the cycle F for friction and convection
/// replaces the cycle for friction. For the pressure, P contains the least squares commutator with the mobility W as weight:
///   (G^T W G)^-1 (G^T W F W G) (G^T W G)^-1, with the mobility W for weights:
/// With convection, the commutator approximates Darcy's law for wavelengths above the pore size, and the identity for
/// wavelengths below the pore size. The pressure block is the average of the commutator and the preconditioner of
/// permeability. The commutator alone is nearly singular for some pressures in corners. GCR would therefore stagnate.
/// @cite [Elman2006], the commutator without these weights
class inertial_system {
 public:
  /// @param shared borrowed, including its cells
  inertial_system(through_system& shared, const through_problem& problem);

  void set_reynolds(double of_units);
  /// @param density_over_step density divided by time step, in units of friction; 0: steady flow
  void set_time_step(double density_over_step) { density_over_step_ = density_over_step; }
  bool is_time_step() const { return density_over_step_ > 0; }
  /// Begin a time step at x.
  void begin_time_step();

  /// Compute r for the present x, and s with the present P.
  void find_residual();
  /// Set P for the flow x. The ghosts of x must be current.
  void linearise();
  /// Use P of creeping flow until the next linearise().
  void linearise_at_rest() { is_linearised_ = false; }
  /// v = (K + C') p.
  void multiply(linear_step kind);
  /// z = P r.
  void precondition(const float* r, float* z);
  /// Compute s = P r for the present residual.
  void precondition_residual();

  bool is_limited() const { return limiter_ != nullptr; }
  /// Set the fractions of the limiter from the velocities. Ghosts of the velocities must be current. @param taken weight of
  /// the new fractions
  void update_limiter(double taken);
  /// Use the hybrid scheme until the next update_limiter().
  void forget_limiter();
  const flow_convection& convection() const { return convection_; }

  through_system& shared() { return shared_; }
  void begin_work() { work_ = {}; }
  /// Work of this rank since begin_work().
  const kernel_work& work() const { return work_; }
  void count_preconditioning() { work_ += work_of_preconditioning(); }
  /// Count an iteration of GCR with a number of stored directions.
  void count_iteration(linear_step kind, std::size_t kept) { work_ += work_of_iteration(kind, kept); }

 private:
  void precondition_with_inertia(const float* r, float* z);
  void add_time_term(const float* p, float* v) const;
  // Work of all cells on this rank (kernel_work).
  kernel_work of_cells(const kernel_work& of_one) const;
  kernel_work work_of_product(linear_step kind) const;
  kernel_work work_of_preconditioning() const;
  kernel_work work_of_residual() const;
  kernel_work work_of_linearisation() const;
  kernel_work work_of_limiter() const;
  kernel_work work_of_iteration(linear_step kind, std::size_t kept) const;

  through_system& shared_;
  flow_convection convection_;
  std::unique_ptr<momentum_limiter> limiter_;  // null: no limiter
  std::unique_ptr<transport_cycle> transport_;
  bool is_linearised_ = false;
  double density_over_step_ = 0;
  std::vector<double> previous_velocities_;  // velocities at the end of the previous step
  std::vector<float> pressure_, other_pressure_, weighed_, carried_;
  kernel_work work_;
};

}  // namespace osteon::physics
