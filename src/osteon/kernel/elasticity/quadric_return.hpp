#pragma once
/// @file
/// Return mapping to a quadric yield surface. For each point, a scalar equation is solved in double precision.
#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/kernel/elasticity/yield_surface.hpp>

namespace osteon::kernel {

/// Solution at a yielding point.
struct quadric_return {
  double multiplier = 0;  ///< gamma [MPa]
  double per_root = 0;    ///< gamma over sqrt(a^2 q^2 + c^2 I1^2) at the end [MPa]
};

/// Find the end of the return from a trial stress outside the surface.
///
/// Let w = gamma / Y and Y = sqrt(a^2 q^2 + c^2 I1^2). Flow along the normal yields q = q_trial / (1 + 3 mu a^2 w); flow and
/// surface yield two linear equations in I1 and Y. Therefore Y^2 = a^2 q^2 + c^2 I1^2 is an equation in w. The equation is
/// multiplied by the determinant of the linear equations, because this determinant may vanish for a trial stress far beyond
/// an open surface. By convexity, the equation has one root between two bounds. At one bound, Y or w is 0; at the other
/// bound, Y is infinite. Newton's method with bisection computes the root.
/// @param mises, trace of the trial stress [MPa] @param hardened 1 + h alpha before the step
inline quadric_return return_to_quadric(double mises, double trace, double hardened, const plastic_material& m) {
  const double a2 = m.surface.a * m.surface.a, b = m.surface.b, c2 = m.surface.c * m.surface.c, h = m.surface.h;
  const double shear = 3 * m.mu * a2, bulk = 9 * m.bulk, swell = bulk * c2;
  const double excess_of_trace = b * trace / hardened - 1;
  const double begin = excess_of_trace > 0 ? excess_of_trace / swell : 0;
  // The positive root of the determinant (1 + swell w) (1 - h w) - bulk b^2 w.
  const double slope = swell - h - bulk * b * b, curvature = 4 * swell * h;
  const double divisor = curvature == 0 ? (slope < 0 ? -2 * slope : 0) : std::sqrt(slope * slope + curvature) - slope;
  const double singular = divisor > 0 ? 2 / divisor : std::numeric_limits<double>::infinity();
  // The function is positive at `outside`, negative at `inside`.
  double outside = begin, inside = singular, w = begin;
  constexpr int most_steps = 200;
  for (int n = 0; n < most_steps; ++n) {
    const double grown = 1 + swell * w, left = 1 - h * w, shrunk = 1 + shear * w;
    const double determinant = grown * left - bulk * b * b * w, q = mises / shrunk;
    const double of_trace = left * trace - bulk * b * w * hardened, of_root = grown * hardened - b * trace;
    const double root = std::sqrt(a2 * q * q * determinant * determinant + c2 * of_trace * of_trace);
    const double value = root - std::abs(of_root);
    if (value == 0) break;
    (value > 0 ? outside : inside) = w;
    const double determinant_slope = swell * left - h * grown - bulk * b * b;
    const double root_slope = root > 0 ? (a2 * q * determinant * (q * determinant_slope - shear / shrunk * q * determinant) -
                                          c2 * of_trace * (h * trace + bulk * b * hardened)) /
                                             root
                                       : 0;
    double next = w - value / (root_slope - std::copysign(swell * hardened, of_root));
    const double low = std::min(outside, inside), high = std::max(outside, inside);
    if (!(next > low && next < high)) next = std::isinf(high) ? 2 * w + 1 / (shear + swell) : (low + high) / 2;
    const bool is_done = std::abs(next - w) <= 4 * std::numeric_limits<double>::epsilon() * next;
    w = next;
    if (is_done) break;
  }
  const double grown = 1 + swell * w, left = 1 - h * w;
  const double determinant = grown * left - bulk * b * b * w, q = mises / (1 + shear * w);
  constexpr double singular_part = 1e-8;
  double y = (grown * hardened - b * trace) / determinant;
  if (!(std::abs(determinant) > singular_part * (grown * std::abs(left) + bulk * b * b * w))) {
    // Only the invariants of the flow direction and the squared surface are needed.
    const double push = bulk * b * w, square = a2 * q * q * grown * grown + c2 * trace * trace, mixed = c2 * trace * push;
    y = square / (mixed + std::sqrt(std::max(0.0, mixed * mixed + (grown * grown - c2 * push * push) * square)));
  }
  return {w * y, w};
}

}  // namespace osteon::kernel
