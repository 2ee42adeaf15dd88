#include <osteon/physics/failure/solver/failure_plan.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/base/error.hpp>

namespace osteon::physics {

void check_plan(const failure_plan& plan) {
  for (const kernel::damage_law& d : plan.damage)
    if (d.surface.c != 0 || !(d.slope >= 0 && d.slope < 1) || !(d.fracture > 1))
      throw usage_error(fmt::format(
          "damage law: slope {} must be in [0, 1), fracture {} must be greater than 1, and the surface must be a cone",
          d.slope, d.fracture));
  if (!plan.damage.empty() && plan.load != 0)
    throw usage_error("a damage law requires a prescribed displacement, because the load may decrease; set load = 0");
  if (plan.turns.empty()) throw usage_error("loading path: must contain at least one turning point, for example 1");
  double at = 0;
  for (const double turn : plan.turns) {
    if (!std::isfinite(turn) || turn == at)
      throw usage_error(fmt::format(
          "loading path: {} followed by {}; turning points must be finite and successive points different", at, turn));
    at = turn;
  }
  if (!std::isfinite(plan.load)) throw usage_error(fmt::format("load {}: must be finite", plan.load));
  if (plan.steps < 0 || plan.most_halvings < 0) throw usage_error("numbers of steps and halvings must not be negative");
  for (const kernel::yield_surface& s : plan.surfaces)
    if (!(s.a >= 0) || !(s.h >= 0) || !std::isfinite(s.a) || !std::isfinite(s.b) || !std::isfinite(s.h) || !(s.c >= 0) ||
        !std::isfinite(s.c) || (s.yields() && std::abs(s.b) >= std::hypot(s.a, s.c)))
      throw usage_error(fmt::format(
          "yield surface a = {}, b = {}, c = {}, h = {} per MPa: must satisfy a^2 + c^2 > b^2, c >= 0 and h >= 0", s.a, s.b,
          s.c, s.h));
}

}  // namespace osteon::physics
