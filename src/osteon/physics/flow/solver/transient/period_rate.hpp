#pragma once
/// @file
/// Prescribed flow rate over a period in transient flow, and computation of the pressure drop in each step.
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/solver/transient/momentum_solver.hpp>
#include <osteon/physics/flow/solver/transient/pressure_projection.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Prescribes the flow rate through an image along a periodic axis.
///
/// Because convection is explicit, the result of a step of flow_stepper is a linear function of the pressure drop over the
/// period. The results for two pressure drops differ by a multiple of the response w. The response is the velocity that a
/// unit pressure drop causes from rest in a step of equal length. A step therefore uses the previous pressure drop. The step
/// then adds w and the pressure of w, multiplied by (prescribed rate - rate) / (rate of w). The corrected rate equals the
/// prescribed rate to rounding. The error of the corrected step is the error of a step plus the correction times the error
/// of w. The tolerances for w equal those of a step. For steps of equal length, w is computed only once.
/// [QuadrioFrohnapfelHasegawa2016] describes the control of the mass flux in a channel by the mean pressure gradient.
class period_rate {
 public:
  /// The object borrows the arguments. @param a periodic axis
  period_rate(const open_flow_cells& open, std::size_t a) : open_(open), cells_(open.cells), a_(a) {}

  /// Add the force of a pressure drop. @param force vector with shape (3, stride) @collective local
  void add_force(double drop, double* force) const;
  /// Sum of the velocities through the face at the end of a period. @collective
  double rate_of(const double* u) const;

  struct tolerances {
    double relative = 1e-4;  ///< limit of the residual of friction, and of the remaining correction of the velocity
    int most = 500;          ///< maximum number of iterations for each system
    std::function<void()> poll{};
  };
  struct outcome {
    int friction_iterations = 0, pressure_iterations = 0;
    bool converged = true;
  };
  /// Compute the response to a unit pressure drop over a step, unless the stored response is current. `momentum` must have
  /// the storage term of the step.
  /// @param sigma value as in flow_stepper @collective
  outcome find_response(momentum_solver& momentum, pressure_projection& projection, double sigma, double implicitness,
                        const tolerances& options);
  /// Compute the response to an impulse, without friction. @collective
  outcome find_impulse(pressure_projection& projection, const tolerances& options);

  /// Factor of the response for which the flow rate of u becomes `rate`. @collective
  double missing(const double* u, double rate) const { return (rate - rate_of(u)) / response_rate_; }
  double response_rate() const { return response_rate_; }
  /// Members of the response. The velocities have shape (3, stride) and current ghosts. For owned cells, the members are the
  /// increment of the pressure by the projection, and the total pressure.
  const std::vector<double>& velocity() const { return velocity_; }
  const std::vector<double>& increment() const { return increment_; }
  const std::vector<double>& pressure() const { return pressure_; }
  /// Store the response in a state. A resumed job therefore computes bitwise equal steps. @collective local
  void save(solver_state& state);
  /// Restore the response after the vectors of save() have been set. @collective
  void restore(const solver_state& state);
  double divergence() const { return divergence_; }  ///< largest |G^T w| of all cells

 private:
  void project(pressure_projection& projection, const tolerances& options, outcome& result);
  double length_of(const double* v) const;

  const open_flow_cells& open_;
  const flow_cells& cells_;
  std::size_t a_;
  double sigma_ = -1, implicitness_ = -1;  // step to which the response applies; -1: no response
  double response_rate_ = 0, divergence_ = 0;
  std::vector<double> velocity_, increment_, pressure_;
};

}  // namespace osteon::physics
