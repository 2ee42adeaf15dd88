#pragma once
/// @file
/// The linear problem of a step of Picard or Newton, by GCR.
#include <osteon/base/log_sink.hpp>
#include <osteon/physics/flow/solver/openings/inertial_system.hpp>

namespace osteon::physics {

struct through_options;
struct through_flow;

/// Solves the linear problem of a step for the change of x.
class linear_problem {
 public:
  /// @param inertial kept by reference @collective
  explicit linear_problem(inertial_system& inertial);

  /// The change of x becomes the solution; r and s of the linear problem follow. Adds to the certificate.
  /// @param to factor by which |s| falls @return whether it fell by that
  /// @throws solve_error if a value is not finite @collective
  bool solve(linear_step kind, double to, const through_options& how, through_flow& answer, log_sink& log);

 private:
  struct iterated;

  inertial_system& inertial_;
  std::size_t most_kept_ = 0;
};

}  // namespace osteon::physics
