#pragma once
/// @file
/// Flow with inertia between openings by Picard and Newton steps.
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/kernel_work.hpp>
#include <osteon/physics/flow/solver/openings/inertial_system.hpp>
#include <osteon/physics/flow/solver/openings/through_system.hpp>

namespace osteon::physics {

struct through_options;
struct through_flow;

/// Solves K x = b. As in flow_solver, P K is symmetric and positive definite in the inner product of P.
class creeping_flow {
 public:
  explicit creeping_flow(through_system& system);

  /// Compute r and s for the present x.
  void find_residual();
  /// Iterate until |s| relative to the solution is below `tolerance`. |s| includes the residual of mass. The function
  /// updates the certificate and the history of steps. @return true if the iteration has converged @throws solve_error if no
  /// scale of the preconditioner is suitable
  /// @collective
  bool solve(double tolerance, const through_options& options, through_flow& answer, log_sink& log);
  /// Execute all communication of a solve once. @collective
  void count_messages();

 private:
  struct iterated;
  kernel_work work_of_iteration() const;

  through_system& system_;
  float velocity_scale_;  // scale of the velocities in the preconditioner of conjugate gradients
};

struct through_options;
struct through_flow;

/// Solves the linear problem of a Picard or Newton step for the change of x. The method is GCR.
class linear_problem {
 public:
  /// @param inertial borrowed @collective
  explicit linear_problem(inertial_system& inertial);

  /// Solve for the change of x, and update r and s of the linear problem. The function updates the certificate.
  /// @param to factor by which |s| must decrease @return true if |s| has decreased by this factor
  /// @throws solve_error if a value is not finite @collective
  bool solve(linear_step kind, double to, const through_options& options, through_flow& answer, log_sink& log);

 private:
  struct iterated;

  inertial_system& inertial_;
  std::size_t most_kept_ = 0;
};

/// Solves K x + C(x) x = b by continuation in the inertia. The problem is that of steady flow, or of an implicit Euler step.
/// As for creeping flow, the solver reduces |s| relative to x.
class inertial_flow {
 public:
  /// @param shared borrowed, including its cells @collective on the communicator of the cells
  inertial_flow(through_system& shared, creeping_flow& creeping, const through_problem& problem);

  /// Start the next solve at x. @param reynolds Reynolds number of the units, > 0
  void begin(double reynolds);
  /// Solve the steady flow by continuation from the last flow. Without a last flow, the solver starts from the creeping
  /// flow. If necessary, the solver computes intermediate flows with less inertia.
  /// @param has_last true if x is the flow of other conditions @return true if the tolerance is reached @collective
  bool solve_steady(bool has_last, const through_options& options, through_flow& answer, log_sink& log);
  /// Solve a time step, starting from x of begin(). @return true if the tolerance is reached @collective
  bool solve_time_step(const through_options& options, through_flow& answer, log_sink& log);
  /// Execute all communication of a solve once. @collective
  void count_messages(const through_options& options, through_flow& answer);

  /// Return the limiter residual of through_flow. The function changes the fractions of the limiter. @collective
  double limiter_residual();
  inertial_system& system() { return system_; }
  const inertial_system& system() const { return system_; }

 private:
  struct approach;
  bool solve_steady(double reynolds, double tolerance, int most, bool limits, const through_options& options,
                    through_flow& answer, log_sink& log);
  double size_of_new_residual();

  through_system& shared_;
  creeping_flow& creeping_;
  inertial_system system_;
  linear_problem linear_;
  double reynolds_ = 0;
};

}  // namespace osteon::physics
