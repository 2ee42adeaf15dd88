#pragma once
/// @file
/// Where the steps of a path end, and how long they are.
#include <cmath>
#include <cstddef>
#include <osteon/physics/failure/solver/failure_plan.hpp>

namespace osteon::physics {

/// Goes along a plan. A place is a factor of the prescribed displacements or, where the plan has a load, of that.
class failure_path {
 public:
  /// Borrows the plan.
  explicit failure_path(const failure_plan& plan) : plan_(plan) {}

  bool is_walked() const { return leg_ == plan_.turns.size(); }
  std::size_t leg() const { return leg_; }
  double from() const { return leg_ == 0 ? 0 : plan_.turns[leg_ - 1]; }
  double to() const { return plan_.turns[leg_]; }
  /// Whether the next leg goes back.
  bool reverses() const { return leg_ > 0 && !is_walked() && (to() - from()) * (from() - before()) < 0; }

  /// Where the next step from a place is to end.
  double next(double place) const;
  /// A step has ended. @param corrections that it took
  void arrive(double place, int corrections);
  /// Pass the steps of the first leg before the first yield, as far as the plan wants them. @param visit hears of their
  /// places
  template <class Visit>
  void skip_to(double until, Visit&& visit);
  /// Begin the next leg.
  void turn();
  /// A step of this length did converge where a longer one did not.
  void shorten(double length) { length_ = length; }
  /// The first step after the yield is a part of what is left of the leg.
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
