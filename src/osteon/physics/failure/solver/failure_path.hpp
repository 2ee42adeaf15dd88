#pragma once
/// @file
/// End points and lengths of the steps of a path.
#include <cmath>
#include <cstddef>
#include <osteon/physics/failure/solver/failure_plan.hpp>

namespace osteon::physics {

/// Follows a plan. A place is a factor of the prescribed displacements or, if the plan has a load, of that load.
class failure_path {
 public:
  /// Borrows the plan.
  explicit failure_path(const failure_plan& plan) : plan_(plan) {}

  bool is_walked() const { return leg_ == plan_.turns.size(); }
  std::size_t leg() const { return leg_; }
  double from() const { return leg_ == 0 ? 0 : plan_.turns[leg_ - 1]; }
  double to() const { return plan_.turns[leg_]; }
  /// Whether the next leg reverses the direction.
  bool reverses() const { return leg_ > 0 && !is_walked() && (to() - from()) * (from() - before()) < 0; }

  /// End of the next step from a place.
  double next(double place) const;
  /// Record the end of a step. @param corrections number of its corrections
  void arrive(double place, int corrections);
  /// Skip the steps of the first leg before the first yield, as far as the plan requires them. @param visit called with
  /// their places
  template <class Visit>
  void skip_to(double until, Visit&& visit);
  /// Begin the next leg.
  void turn();
  /// Record that a step of this length converged after a longer one failed.
  void shorten(double length) { length_ = length; }
  /// The first step after the yield is a fraction of the rest of the leg.
  void begin_at(double place);
  /// Longest step of this leg.
  double longest() const;

  /// For checkpoints.
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
