#pragma once
/// @file
/// Flow with inertia between openings: steps of Picard and Newton.
#include <osteon/physics/flow/solver/openings/creeping_flow.hpp>
#include <osteon/physics/flow/solver/openings/linear_problem.hpp>

namespace osteon::physics {

/// Solves K x + C(x) x = b: the steady flow, reached by flows of less inertia, or a time step of implicit Euler. As with
/// creeping flow, |s| becomes small against x.
class inertial_flow {
 public:
  /// @param shared kept by reference, as its cells @collective on the communicator of the cells
  inertial_flow(through_system& shared, creeping_flow& creeping, const through_problem& problem);

  /// Start the next solve at x. @param reynolds of the units, > 0
  void begin(double reynolds);
  /// Continue from the last flow, or if there is none from the creeping one, by flows of less inertia where that is too far.
  /// @param has_last x is the flow of other conditions @return whether the tolerance is reached @collective
  bool solve_steady(bool has_last, const through_options& how, through_flow& answer, log_sink& log);
  /// Solve a step from x as it is at begin(). @return whether the tolerance is reached @collective
  bool solve_time_step(const through_options& how, through_flow& answer, log_sink& log);
  /// Send what else a solve may send, once each part. @collective
  void rehearse(const through_options& how, through_flow& answer);

  /// As in through_flow; changes the shares. @collective
  double limiter_residual();
  inertial_system& system() { return system_; }
  const inertial_system& system() const { return system_; }

 private:
  struct approach;
  bool settle(double reynolds, double tolerance, int most, bool limits, const through_options& how, through_flow& answer,
              log_sink& log);
  double size_of_new_residual();

  through_system& shared_;
  creeping_flow& creeping_;
  inertial_system system_;
  linear_problem linear_;
  double reynolds_ = 0;
};

}  // namespace osteon::physics
