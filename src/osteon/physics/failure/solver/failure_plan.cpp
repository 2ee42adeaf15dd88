#include <osteon/physics/failure/solver/failure_plan.hpp>

#include <cmath>
#include <osteon/base/fault_list.hpp>

namespace osteon::physics {

void check_plan(const failure_plan& plan) {
  for (const kernel::damage_law& d : plan.damage)
    require<usage_error>(
        d.surface.c == 0 && d.slope >= 0 && d.slope < 1 && d.fracture > 1,
        "damage law: slope {} must be in [0, 1), fracture {} must be greater than 1, and the surface must be a cone",
        d.slope, d.fracture);
  require<usage_error>(plan.damage.empty() || plan.load == 0,
                       "a damage law requires a prescribed displacement, because the load may decrease; set load = 0");
  require<usage_error>(!plan.turns.empty(), "loading path: must contain at least one turning point, for example 1");
  double at = 0;
  for (const double turn : plan.turns) {
    require<usage_error>(std::isfinite(turn) && turn != at,
                         "loading path: {} followed by {}; turning points must be finite and successive points different",
                         at, turn);
    at = turn;
  }
  require<usage_error>(std::isfinite(plan.load), "load {}: must be finite", plan.load);
  require<usage_error>(plan.steps >= 0 && plan.most_halvings >= 0, "numbers of steps and halvings must not be negative");
  for (const kernel::yield_surface& s : plan.surfaces)
    require<usage_error>(
        s.a >= 0 && s.h >= 0 && s.c >= 0 && std::isfinite(s.a) && std::isfinite(s.b) && std::isfinite(s.h) &&
            std::isfinite(s.c) && (!s.yields() || std::abs(s.b) < std::hypot(s.a, s.c)),
        "yield surface a = {}, b = {}, c = {}, h = {} per MPa: must satisfy a^2 + c^2 > b^2, c >= 0 and h >= 0", s.a, s.b,
        s.c, s.h);
}

}  // namespace osteon::physics
