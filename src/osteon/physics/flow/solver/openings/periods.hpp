#pragma once
/// @file
/// Flow through an image that repeats itself along an axis: the drop of pressure over a period, and what passes it.
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Drops of pressure over the periods along z, y, x, from the low to the high face [Pa].
using period_drops = std::array<double, 3>;

/// The right-hand side of drops. They stand in the equations of the faces where a period ends and the next one begins, so
/// that the pressure of the answer is the fluid's own, and falls along the image. @collective local
void add_period_drops(const open_flow_cells& open, const flow_units& units, const period_drops& drops, flow_entries& right);

/// What passes the periods, of an answer; where there are no openings, also rate and drop of the flow as a whole.
/// @collective
void find_period_flows(const through_problem& problem, const open_flow_cells& open, const std::vector<double>& x,
                       const flow_units& units, const period_drops& drops, through_flow& flow);

/// A first guess of the drop that makes a rate: that of a tube of the same hydraulic diameter. @collective local
double guessed_drop(const through_problem& problem, const through_solution& all, std::size_t axis, double rate);

/// Finds the drop that makes a flow rate, by the secants of a growing function.
class rate_search {
 public:
  /// @param first a guess, not 0 @param tolerance of the rate, relative
  rate_search(double rate, double first, double tolerance) : rate_(rate), drop_(first), tolerance_(tolerance) {}

  double drop() const { return drop_; }
  /// Take in the rate of the flow with drop(); then drop() is the next one. @return whether that was the rate
  bool is_found(double rate);
  /// Ratio of drop() to the one before, of a flow that is proportional to it.
  double growth() const { return growth_; }
  bool gives_up() const { return trials_ >= most_trials; }

 private:
  static constexpr int most_trials = 20;
  double rate_, drop_, tolerance_, growth_ = 0;
  double last_drop_ = 0, last_rate_ = 0;
  int trials_ = 0;
};

}  // namespace osteon::physics
