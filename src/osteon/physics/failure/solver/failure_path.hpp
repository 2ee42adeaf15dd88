#pragma once
/// @file
/// End points and lengths of load steps.
#include <cmath>
#include <cstddef>
#include <osteon/physics/failure/solver/failure_plan.hpp>

namespace osteon::physics {

/// Plans the steps of a loading path. A position on the path is a factor of the prescribed displacements. If the plan has a
/// load, a position is a factor of the load. A leg is a part of the path between two turning points.
class failure_path {
 public:
  /// The object borrows the plan.
  explicit failure_path(const failure_plan& plan) : plan_(plan) {}

  bool is_complete() const { return leg_ == plan_.turns.size(); }
  std::size_t leg() const { return leg_; }
  double from() const { return leg_ == 0 ? 0 : plan_.turns[leg_ - 1]; }
  double to() const { return plan_.turns[leg_]; }
  /// Return true if the direction of the present leg is opposite to that of the previous leg.
  bool reverses() const { return leg_ > 0 && !is_complete() && (to() - from()) * (from() - before()) < 0; }

  /// End of the next step that starts at a position.
  double next(double place) const;
  /// Record the end of a step. @param corrections number of corrections in the step; this number determines the length of
  /// the next step
  void arrive(double place, int corrections);
  /// Skip the prescribed steps before the first yield. @param visit function that is called with the end position of each
  /// skipped step
  template <class Visit>
  void skip_to(double until, Visit&& visit);
  /// Begin the next leg.
  void turn();
  /// Reduce the step length after a step that did not converge.
  void shorten(double length) { length_ = length; }
  /// Set the length of the first step to a fraction of the rest of the leg.
  void begin_at(double place);
  /// Maximum length of a step in this leg.
  double longest() const;

  /// State of a checkpoint.
  struct numbers {
    double length, leg, stop;
  };
  numbers kept() const { return {length_, static_cast<double>(leg_), static_cast<double>(stop_)}; }
  void restore(const numbers& n);

 private:
  double before() const { return leg_ < 2 ? 0 : plan_.turns[leg_ - 2]; }
  bool has_passed(double place, double at) const;

  const failure_plan& plan_;
  std::size_t leg_ = 0, stop_ = 0;
  double length_ = 0;
};

template <class Visit>
void failure_path::skip_to(double until, Visit&& visit) {
  constexpr double rounding = 1e-9;
  const auto is_before = [&](double place) { return place * until > 0 && place / until < 1 - rounding; };
  while (stop_ < plan_.stops.size() && is_before(plan_.stops[stop_])) visit(plan_.stops[stop_++]);
  if (stop_ < plan_.stops.size() && std::abs(plan_.stops[stop_] / until - 1) <= rounding) ++stop_;
  if (!plan_.stops.empty()) return;
  for (int k = 1; k <= plan_.steps; ++k)
    if (const double place = plan_.turns.front() * k / plan_.steps; is_before(place)) visit(place);
}

}  // namespace osteon::physics
