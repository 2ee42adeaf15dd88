#pragma once
/// @file
/// Plasticity with a linear yield function of the stress's invariants, at the eight Gauss points of a brick at once: return to
/// the yield surface, and the tangent of it. Small strains, associated flow, isotropic linear hardening.
#include <osteon/kernel/elasticity/gauss_points.hpp>
#include <osteon/kernel/elasticity/yield_surface.hpp>

namespace osteon::kernel {

/// What a Gauss point has been through: plastic strain zz, yy, xx, zy, zx, yx (engineering shears), and alpha.
struct plastic_state {
  eight strain[6]{};
  eight alpha{};
};

/// The elastic stress from a state, as invariants: what the return to the yield surface begins with.
struct trial_stress {
  eight deviator[6];   ///< zz, yy, xx, zy, zx, yx
  eight mises;         ///< q
  eight pressure;      ///< mean stress, positive in tension
  eight excess;        ///< f
  eight multiplier{};  ///< that the return takes, >= 0
  eight ratio;         ///< deviator after the return over the one before
  eight is_apex{};     ///< 1 where the return ends in the tip of the cone
};

[[gnu::always_inline]] inline eight root_of(const eight& v) {
  eight r;
  for (int g = 0; g < 8; ++g) r[g] = __builtin_sqrt(v[g]);
  return r;
}

[[gnu::always_inline]] inline eight product_of_deviators(const eight (&s)[6], const eight (&t)[6]) {
  return s[0] * t[0] + s[1] * t[1] + s[2] * t[2] + 2 * (s[3] * t[3] + s[4] * t[4] + s[5] * t[5]);
}

/// Deviatoric stress and mean stress of an elastic strain. @param mean_dilatation the trace is that of the whole brick
[[gnu::always_inline]] inline void elastic_stress(const tensor_at_points& strain, const plastic_material& m,
                                                  bool mean_dilatation, eight (&deviator)[6], eight& pressure) {
  const eight trace = strain.value[0] + strain.value[1] + strain.value[2];
  for (int i = 0; i < 3; ++i) deviator[i] = 2 * m.mu * (strain.value[i] - trace / 3);
  for (int i = 3; i < 6; ++i) deviator[i] = m.mu * strain.value[i];
  pressure = m.bulk * (mean_dilatation ? mean_of_points(trace) : trace);
}

/// Find where the stress of a strain goes. @param state null: none yet @return whether any point flows
[[gnu::always_inline]] inline bool return_to_surface(const tensor_at_points& strain, const plastic_state* state,
                                                     const plastic_material& m, bool mean_dilatation, trial_stress& t) {
  elastic_stress(strain, m, mean_dilatation, t.deviator, t.pressure);
  eight hardened = eight{} + 1;
  if (state) {
    const eight trace = state->strain[0] + state->strain[1] + state->strain[2];
    for (int i = 0; i < 3; ++i) t.deviator[i] -= 2 * m.mu * (state->strain[i] - trace / 3);
    for (int i = 3; i < 6; ++i) t.deviator[i] -= m.mu * state->strain[i];
    t.pressure -= m.bulk * trace;
    hardened += m.surface.h * state->alpha;
  }
  const auto& [a, b, h] = m.surface;
  const eight square = 1.5 * product_of_deviators(t.deviator, t.deviator);
  t.excess = b * 3 * t.pressure - hardened;
  // Most bricks are far below the surface: they need no root.
  const eight reach = -t.excess;
  bool any = false;
  for (int g = 0; g < 8; ++g) any = any || reach[g] < 0 || a * a * square[g] > reach[g] * reach[g];
  t.mises = root_of(square);
  t.excess += a * t.mises;
  t.ratio = eight{} + 1;
  t.multiplier = t.is_apex = eight{};
  if (!any) return false;
  const double to_apex = 9 * m.bulk * b * b + h, slope = 3 * m.mu * a * a + to_apex;
  any = false;
  for (int g = 0; g < 8; ++g) {
    if (!(t.excess[g] > 0)) continue;
    any = true;
    double multiplier = t.excess[g] / slope;
    double mises = t.mises[g] - 3 * m.mu * a * multiplier;
    if (mises < 0) {
      mises = 0;
      multiplier = (t.excess[g] - a * t.mises[g]) / to_apex;
      t.is_apex[g] = 1;
    }
    t.multiplier[g] = multiplier;
    t.ratio[g] = t.mises[g] > 0 ? mises / t.mises[g] : 0;
  }
  return any;
}

/// The elastic stress of the whole plastic strain, old and new: what the stress is less than the elastic one of the strain.
[[gnu::always_inline]] inline void relaxed_stress(const trial_stress& t, const plastic_state* state, const plastic_material& m,
                                                  bool mean_dilatation, tensor_at_points& relaxed) {
  eight pressure = 3 * m.bulk * m.surface.b * t.multiplier;
  const eight gone = 1 - t.ratio;
  for (int i = 0; i < 6; ++i) relaxed.value[i] = gone * t.deviator[i];
  if (state) {
    const eight trace = state->strain[0] + state->strain[1] + state->strain[2];
    for (int i = 0; i < 3; ++i) relaxed.value[i] += 2 * m.mu * (state->strain[i] - trace / 3);
    for (int i = 3; i < 6; ++i) relaxed.value[i] += m.mu * state->strain[i];
    pressure += m.bulk * trace;
  }
  if (mean_dilatation) pressure = mean_of_points(pressure);
  for (int i = 0; i < 3; ++i) relaxed.value[i] += pressure;
}

/// The derivative of relaxed_stress along a change of the strain: elastic stiffness minus tangent, times the change.
[[gnu::always_inline]] inline void relaxed_tangent(const trial_stress& t, const tensor_at_points& change,
                                                   const plastic_material& m, bool mean_dilatation,
                                                   tensor_at_points& relaxed) {
  const auto& [a, b, h] = m.surface;
  eight deviator[6], pressure;
  elastic_stress(change, m, mean_dilatation, deviator, pressure);
  const double to_apex = 9 * m.bulk * b * b + h, slope = 3 * m.mu * a * a + to_apex;
  const eight along = product_of_deviators(t.deviator, deviator);
  eight by_deviator{}, by_change{}, multiplier{};
  for (int g = 0; g < 8; ++g) {
    if (!(t.multiplier[g] > 0)) continue;
    if (t.is_apex[g] > 0) {
      by_change[g] = 1;
      multiplier[g] = 3 * b * pressure[g] / to_apex;
      continue;
    }
    const double mises = t.mises[g], mises_changes = 1.5 * along[g] / mises;
    multiplier[g] = (a * mises_changes + 3 * b * pressure[g]) / slope;
    by_change[g] = 1 - t.ratio[g];
    by_deviator[g] = 3 * m.mu * a * (multiplier[g] - t.multiplier[g] * mises_changes / mises) / mises;
  }
  eight relaxed_pressure = 3 * m.bulk * b * multiplier;
  if (mean_dilatation) relaxed_pressure = mean_of_points(relaxed_pressure);
  for (int i = 0; i < 6; ++i) relaxed.value[i] = by_change * deviator[i] + by_deviator * t.deviator[i];
  for (int i = 0; i < 3; ++i) relaxed.value[i] += relaxed_pressure;
}

/// Add what a return to the surface adds to the state.
[[gnu::always_inline]] inline void flow(const trial_stress& t, const plastic_material& m, plastic_state& state) {
  const eight gone = 1 - t.ratio;
  for (int i = 0; i < 3; ++i) state.strain[i] += gone * t.deviator[i] / (2 * m.mu) + m.surface.b * t.multiplier;
  for (int i = 3; i < 6; ++i) state.strain[i] += gone * t.deviator[i] / m.mu;
  state.alpha += t.multiplier;
}

/// Elastic energy per volume after the return [MPa].
[[gnu::always_inline]] inline eight elastic_energy(const trial_stress& t, const plastic_material& m) {
  const eight mises = t.ratio * t.mises, pressure = t.pressure - 3 * m.bulk * m.surface.b * t.multiplier;
  return mises * mises / (6 * m.mu) + pressure * pressure / (2 * m.bulk);
}

/// The same of a strain that is all elastic.
[[gnu::always_inline]] inline eight energy_of_strain(const tensor_at_points& strain, const plastic_material& m,
                                                     bool mean_dilatation) {
  eight deviator[6], pressure;
  elastic_stress(strain, m, mean_dilatation, deviator, pressure);
  return product_of_deviators(deviator, deviator) / (4 * m.mu) + pressure * pressure / (2 * m.bulk);
}

}  // namespace osteon::kernel
