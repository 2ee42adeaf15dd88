#pragma once
/// @file
/// Creeping flow between openings, by conjugate gradients.
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/kernel_work.hpp>
#include <osteon/physics/flow/solver/openings/through_system.hpp>

namespace osteon::physics {

struct through_options;
struct through_flow;

/// Solves K x = b. As in flow_solver, P K is symmetric and positive definite in the inner product of P.
class creeping_flow {
 public:
  explicit creeping_flow(through_system& system);

  /// r and s of x.
  void find_residual();
  /// Iterate until |s| is below `tolerance` of the answer, mass and all. Adds to the certificate and the history of steps.
  /// @return whether it is @throws solve_error if no scale of the preconditioner suits @collective
  bool solve(double tolerance, const through_options& how, through_flow& answer, log_sink& log);
  /// Send what else a solve may send, once each part. @collective
  void rehearse();

 private:
  struct iterated;
  kernel_work work_of_iteration() const;

  through_system& system_;
  float velocity_scale_;  // of the preconditioner in conjugate gradients
};

}  // namespace osteon::physics
