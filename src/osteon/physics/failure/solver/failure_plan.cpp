#include <osteon/physics/failure/solver/failure_plan.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/base/error.hpp>

namespace osteon::physics {

void check_plan(const failure_plan& plan) {
  for (const kernel::damage_law& d : plan.damage)
    if (d.surface.c != 0 || !(d.slope >= 0 && d.slope < 1) || !(d.fracture > 1))
      throw usage_error(
          fmt::format("a damage law of slope {} and fracture at {} times the yield; slopes are in [0, 1), "
                      "fractures beyond 1, surfaces cones",
                      d.slope, d.fracture));
  if (!plan.damage.empty() && plan.load != 0)
    throw usage_error("a load does not go with damage, by which it falls; name a displacement");
  if (plan.turns.empty()) throw usage_error("a path without an end; name the factors that it goes to, e.g. 1");
  double at = 0;
  for (const double turn : plan.turns) {
    if (!std::isfinite(turn) || turn == at)
      throw usage_error(fmt::format("a path from {} to {}; each turn is another finite factor", at, turn));
    at = turn;
  }
  if (!std::isfinite(plan.load)) throw usage_error(fmt::format("a load of {}; it is finite", plan.load));
  if (plan.steps < 0 || plan.most_halvings < 0) throw usage_error("steps and halvings are not negative");
  for (const kernel::yield_surface& s : plan.surfaces)
    if (!(s.a >= 0) || !(s.h >= 0) || !std::isfinite(s.a) || !std::isfinite(s.b) || !std::isfinite(s.h) || !(s.c >= 0) ||
        !std::isfinite(s.c) || (s.yields() && std::abs(s.b) >= std::hypot(s.a, s.c)))
      throw usage_error(fmt::format(
          "a yield surface a = {}, b = {}, c = {}, h = {} per MPa; a^2 + c^2 > b^2, c >= 0 and h >= 0", s.a, s.b, s.c, s.h));
}

}  // namespace osteon::physics
