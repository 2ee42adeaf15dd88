#pragma once
/// @file
/// Flow through a periodic image. The file contains the pressure drop over a period, and the flow rate through the period.
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Pressure drops over the periods along z, y, x, from the low face to the high face [Pa].
using period_drops = std::array<double, 3>;

/// Right-hand side for given pressure drops. The equations of the faces between two periods contain the pressure drops. The
/// pressure of the solution therefore decreases along the image. @collective local
void add_period_drops(const open_flow_cells& open, const flow_units& units, const period_drops& drops, flow_entries& right);

/// Compute the flow rates of a solution through the periods. Without openings, the function also sets the rate and the
/// pressure drop of the flow.
/// @collective
void find_period_flows(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                       const flow_units& units, const period_drops& drops, through_flow& flow);

/// Initial guess of the pressure drop for a flow rate. The guess is the pressure drop of a tube with the same hydraulic
/// diameter.
/// @collective local
double guessed_drop(const through_problem& problem, const through_solution& all, std::size_t axis, double rate);

/// Computes the pressure drop for a flow rate by the secant method. The flow rate is an increasing function of the pressure
/// drop.
class rate_search {
 public:
  /// @param first initial guess, which must not be 0 @param tolerance relative error of the rate
  rate_search(double rate, double first, double tolerance) : rate_(rate), drop_(first), tolerance_(tolerance) {}

  double drop() const { return drop_; }
  /// Process the flow rate for the pressure drop drop(), and set the next drop(). @return true if the rate is reached
  bool is_found(double rate);
  /// Ratio of drop() to the previous pressure drop. A creeping flow is proportional to this ratio.
  double growth() const { return growth_; }
  bool is_exhausted() const { return trials_ >= most_trials; }

 private:
  static constexpr int most_trials = 20;
  double rate_, drop_, tolerance_, growth_ = 0;
  double last_drop_ = 0, last_rate_ = 0;
  int trials_ = 0;
};

}  // namespace osteon::physics
