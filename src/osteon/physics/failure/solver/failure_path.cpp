#include <osteon/physics/failure/solver/failure_path.hpp>

#include <algorithm>
#include <cmath>

namespace osteon::physics {

namespace {

// With at most `few_corrections` corrections, the next step is longer. With more than `many_corrections` corrections, the
// next step is shorter.
constexpr int few_corrections = 4, many_corrections = 8;
// Lengths of adaptive steps, relative to the distance between the first yield and the turning point.
constexpr double first_length = 0.1, longest_length = 0.2, growth = 1.4;
// Tolerance of positions that computed loads determine, as a fraction of the leg.
constexpr double nearness = 1e-5;

}  // namespace

bool failure_path::has_passed(double place, double at) const {
  const double distance = to() - from();
  return (at - place) * distance <= (plan_.load == 0 ? 1e-9 : nearness) * distance * distance;
}

double failure_path::longest() const { return longest_length * std::abs(to() - from()); }

double failure_path::next(double place) const {
  if (!plan_.stops.empty()) return stop_ < plan_.stops.size() ? plan_.stops[stop_] : to();
  if (plan_.steps == 0) {
    if (plan_.load != 0) return to();
    // With equal steps, there is no tiny last step.
    const double left = to() - place, steps = std::ceil(std::abs(left) / length_ * (1 - 1e-9));
    return steps <= 1 ? to() : place + left / steps;
  }
  for (int k = 1; k <= plan_.steps; ++k) {
    const double at = k == plan_.steps ? to() : from() + (to() - from()) * k / plan_.steps;
    if (!has_passed(place, at)) return at;
  }
  return to();
}

void failure_path::arrive(double place, int corrections) {
  if (stop_ < plan_.stops.size() && place == plan_.stops[stop_]) ++stop_;
  if (plan_.steps > 0 || !plan_.stops.empty()) return;
  if (corrections <= few_corrections) length_ = std::min(growth * length_, longest());
  if (corrections > many_corrections) length_ /= 2;
}

void failure_path::turn() {
  ++leg_;
  if (!is_complete()) begin_at(from());
}

void failure_path::begin_at(double place) { length_ = first_length * std::abs(to() - place); }

void failure_path::restore(const numbers& n) {
  length_ = n.length;
  leg_ = static_cast<std::size_t>(n.leg);
  stop_ = static_cast<std::size_t>(n.stop);
}

}  // namespace osteon::physics
