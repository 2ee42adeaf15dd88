#pragma once
/// @file
/// Flow between openings for a sequence of conditions. The flow is creeping, is steady with inertia, or is a time step with
/// inertia.
#include <optional>
#include <osteon/physics/flow/solver/openings/inertial_flow.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

/// Solves K x + C(x) x = b with given velocities in x. The initial guess is the last solution. Call begin(), then solve().
/// For creeping flow, the class uses creeping_flow. For flow with inertia, the class uses inertial_flow. Both solvers store
/// their vectors in a common through_system.
class through_solver {
 public:
  /// @param cells borrowed @collective on the communicator of the cells
  through_solver(const open_flow_cells& cells, const through_problem& problem);

  /// Start from the given velocities, or from the last solution times a factor.
  /// @param given values of x at faces with a given velocity, each with its position in the solution
  /// @param right entries of b, each with a position @param reynolds Reynolds number of the units; 0: creeping flow
  void begin(const std::vector<std::pair<std::int64_t, double>>& given,
             const std::vector<std::pair<std::int64_t, double>>& right, double reynolds, double factor_of_last);
  /// For flow with inertia: each subsequent solve is an implicit Euler step from the present solution.
  /// @param density_over_step density divided by time step, in units of friction; 0: steady flow
  void set_time_step(double density_over_step);
  /// Return the solution. The caller may modify the solution between solves. Ghosts need not be current.
  std::vector<double>& answer_to_change() { return system_.x; }
  /// Solve, and set the certificate and the history of the steps. @throws solve_error if a value is not finite @collective
  void solve(const through_options& options, through_flow& answer, log_sink& log);

  /// Velocities and pressure with shape (4, stride), in units of voxels. The ghosts are current. An undetermined pressure
  /// has a mean of zero.
  const std::vector<double>& answer() const { return system_.x; }
  /// Convection of the last solution. For creeping flow, the result is null.
  const flow_convection* inertia() const { return is_inertial_ ? &inertial_->system().convection() : nullptr; }
  /// |b - K x - C(x) x|, of velocities and masses together. @collective
  double residual() const { return system_.residual(); }
  /// Return the limiter residual of through_flow. The function changes the fractions of the limiter. @collective
  double limiter_residual() { return is_inertial_ ? inertial_->limiter_residual() : 0; }
  double upwinded_share() const { return is_inertial_ ? inertia()->upwinded_share() : 0; }

 private:
  bool solve_from_start(const through_options& options, through_flow& answer, log_sink& log);
  void count_other_messages(const through_options& options, through_flow& answer);

  through_system system_;
  creeping_flow creeping_;
  std::optional<inertial_flow> inertial_;  // only for a problem with inertia
  bool is_inertial_ = false;               // true if the flow since begin() has inertia
  bool has_answer_ = false;                // true if x is the flow of other conditions
};

}  // namespace osteon::physics
