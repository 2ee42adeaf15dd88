#pragma once
/// @file
/// Prescribed flow rate over a period in transient flow, and computation of the pressure drop of each step.
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/solver/transient/momentum_solver.hpp>
#include <osteon/physics/flow/solver/transient/pressure_projection.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Prescribes the flow rate through an image along a periodic axis.
///
/// Because convection is explicit, a step of flow_stepper is linear in its pressure drop over the period. The results for
/// two drops differ by a multiple of the response w: the velocity due to a unit drop in a step of equal length from rest.
/// A step therefore uses the previous drop, and adds w and the pressure of w, multiplied by (prescribed rate - rate) /
/// (rate of w). The corrected rate equals the prescribed rate to rounding. The error of the corrected step is the error of
/// a step plus the correction times the error of w. The tolerances of w are those of a step. For steps of equal length, w
/// is computed once. [QuadrioFrohnapfelHasegawa2016] describe control of the mass flux of a channel by the mean pressure
/// gradient.
class period_rate {
 public:
  /// Stores references to the arguments. @param a axis
  period_rate(const open_flow_cells& open, std::size_t a) : open_(open), cells_(open.cells), a_(a) {}

  /// Adds the force of a pressure drop. @param force shape (3, stride) @collective local
  void add_force(double drop, double* force) const;
  /// Sum of the velocities across the face at the end of a period. @collective
  double rate_of(const double* u) const;

  struct tolerances {
    double relative = 1e-4;  ///< limit of the friction residual and of the remaining velocity correction
    int most = 500;          ///< largest number of iterations of each system
    std::function<void()> poll{};
  };
  struct outcome {
    int friction_iterations = 0, pressure_iterations = 0;
    bool converged = true;
  };
  /// Compute the response to a unit drop over a step, unless the stored response is current. `momentum` has the storage
  /// term of the step.
  /// @param sigma as in flow_stepper @collective
  outcome find_response(momentum_solver& momentum, pressure_projection& projection, double sigma, double implicitness,
                        const tolerances& options);
  /// Compute the response to an impulse, without friction. @collective
  outcome find_impulse(pressure_projection& projection, const tolerances& options);

  /// Multiple of the response that changes the rate of u to `rate`. @collective
  double missing(const double* u, double rate) const { return (rate - rate_of(u)) / response_rate_; }
  double response_rate() const { return response_rate_; }
  /// Members of the response: velocities of shape (3, stride) with current ghosts; for owned cells, the pressure increment
  /// of the projection and the total pressure.
  const std::vector<double>& velocity() const { return velocity_; }
  const std::vector<double>& increment() const { return increment_; }
  const std::vector<double>& pressure() const { return pressure_; }
  /// Store the response in a state. A resumed job thus computes bitwise equal steps. @collective local
  void save(solver_state& state);
  /// Restore after save() was filled in. @collective
  void restore(const solver_state& state);
  double divergence() const { return divergence_; }  ///< largest |G^T w| of a cell

 private:
  void project(pressure_projection& projection, const tolerances& options, outcome& result);
  double length_of(const double* v) const;

  const open_flow_cells& open_;
  const flow_cells& cells_;
  std::size_t a_;
  double sigma_ = -1, implicitness_ = -1;  // step of the response; -1: no response
  double response_rate_ = 0, divergence_ = 0;
  std::vector<double> velocity_, increment_, pressure_;
};

}  // namespace osteon::physics
