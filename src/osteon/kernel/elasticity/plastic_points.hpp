#pragma once
/// @file
/// Plasticity with a linear yield function of the stress's invariants, at the eight Gauss points of a brick at once: return
/// to the yield surface, and the tangent of it. Small strains, associated flow, isotropic linear hardening.
///
/// Lanes are chosen by masks instead of branches: neighbouring points differ in whether they flow.
#include <osteon/kernel/elasticity/gauss_points.hpp>
#include <osteon/kernel/elasticity/yield_surface.hpp>

namespace osteon::kernel {

/// The numbers of a material that the points need, in the precision of their lanes.
template <class T>
struct plastic_numbers {
  T mu, bulk, a, b, h, to_apex, slope;
  explicit plastic_numbers(const plastic_material& m)
      : mu(static_cast<T>(m.mu)),
        bulk(static_cast<T>(m.bulk)),
        a(static_cast<T>(m.surface.a)),
        b(static_cast<T>(m.surface.b)),
        h(static_cast<T>(m.surface.h)),
        to_apex(static_cast<T>(9 * m.bulk * m.surface.b * m.surface.b + m.surface.h)),
        slope(static_cast<T>(3 * m.mu * m.surface.a * m.surface.a + 9 * m.bulk * m.surface.b * m.surface.b + m.surface.h)) {}
};

/// What a Gauss point has been through: plastic strain zz, yy, xx, zy, zx, yx (engineering shears), and alpha.
template <class T>
struct plastic_state {
  typename eight_of<T>::vector strain[6]{};
  typename eight_of<T>::vector alpha{};
};

/// The elastic stress from a state, as invariants: what the return to the yield surface begins with.
template <class T>
struct trial_stress {
  using vector = typename eight_of<T>::vector;
  vector deviator[6];  ///< zz, yy, xx, zy, zx, yx
  vector mises;        ///< q
  vector pressure;     ///< mean stress, positive in tension
  vector excess;       ///< f
  vector multiplier;   ///< that the return takes, >= 0
  vector ratio;        ///< deviator after the return over the one before
  vector is_apex;      ///< 1 where the return ends in the tip of the cone
};

template <class V>
[[gnu::always_inline]] inline V root_of(const V& v) {
  V r;
  for (int g = 0; g < 8; ++g) {
    if constexpr (sizeof(v[0]) == 4)
      r[g] = __builtin_sqrtf(v[g]);
    else
      r[g] = __builtin_sqrt(v[g]);
  }
  return r;
}

template <class V>
[[gnu::always_inline]] inline V product_of_deviators(const V (&s)[6], const V (&t)[6]) {
  const V shears = s[3] * t[3] + s[4] * t[4] + s[5] * t[5];
  return s[0] * t[0] + s[1] * t[1] + s[2] * t[2] + (shears + shears);
}

/// Deviatoric stress and mean stress of an elastic strain. @param mean_dilatation the trace is that of the whole brick
template <class T, class V>
[[gnu::always_inline]] inline void elastic_stress(const V (&strain)[6], const plastic_numbers<T>& m, bool mean_dilatation,
                                                  V (&deviator)[6], V& pressure) {
  const V trace = strain[0] + strain[1] + strain[2];
  const T twice = m.mu + m.mu;
  for (int i = 0; i < 3; ++i) deviator[i] = twice * (strain[i] - trace / T(3));
  for (int i = 3; i < 6; ++i) deviator[i] = m.mu * strain[i];
  pressure = m.bulk * (mean_dilatation ? mean_of_points(trace) : trace);
}

/// Find where the stress of a strain goes. @param state null: none yet @return whether any point flows
template <class T>
[[gnu::always_inline]] inline bool return_to_surface(const tensor_at_points<T>& strain, const plastic_state<T>* state,
                                                     const plastic_numbers<T>& m, bool mean_dilatation, trial_stress<T>& t) {
  using vector = typename eight_of<T>::vector;
  elastic_stress(strain.value, m, mean_dilatation, t.deviator, t.pressure);
  vector hardened = vector{} + T(1);
  if (state) {
    vector deviator[6], pressure;
    elastic_stress(state->strain, m, false, deviator, pressure);
    for (int i = 0; i < 6; ++i) t.deviator[i] -= deviator[i];
    t.pressure -= pressure;
    hardened += m.h * state->alpha;
  }
  t.mises = root_of(T(1.5) * product_of_deviators(t.deviator, t.deviator));
  const vector by_pressure = T(3) * m.b * t.pressure - hardened;
  t.excess = m.a * t.mises + by_pressure;
  const auto flows = t.excess > vector{};
  bool any = false;
  for (int g = 0; g < 8; ++g) any |= flows[g] != 0;
  const vector one = vector{} + T(1);
  t.ratio = one;
  t.multiplier = t.is_apex = vector{};
  if (!any) return false;
  const vector multiplier = t.excess / m.slope, mises = t.mises - T(3) * m.mu * m.a * multiplier;
  const auto beyond = flows & (mises < vector{});
  t.multiplier = flows ? (beyond ? by_pressure / m.to_apex : multiplier) : vector{};
  t.ratio = flows ? (beyond ? vector{} : mises / t.mises) : one;
  t.is_apex = beyond ? one : vector{};
  return true;
}

/// The elastic stress of the whole plastic strain, old and new: what the stress is less than the elastic one of the strain.
template <class T>
[[gnu::always_inline]] inline void relaxed_stress(const trial_stress<T>& t, const plastic_state<T>* state,
                                                  const plastic_numbers<T>& m, bool mean_dilatation,
                                                  tensor_at_points<T>& relaxed) {
  using vector = typename eight_of<T>::vector;
  vector pressure = T(3) * m.bulk * m.b * t.multiplier;
  const vector gone = T(1) - t.ratio;
  for (int i = 0; i < 6; ++i) relaxed.value[i] = gone * t.deviator[i];
  if (state) {
    vector deviator[6], old;
    elastic_stress(state->strain, m, false, deviator, old);
    for (int i = 0; i < 6; ++i) relaxed.value[i] += deviator[i];
    pressure += old;
  }
  if (mean_dilatation) pressure = mean_of_points(pressure);
  for (int i = 0; i < 3; ++i) relaxed.value[i] += pressure;
}

/// The derivative of relaxed_stress along a change of the strain: elastic stiffness minus tangent, times the change.
template <class T>
[[gnu::always_inline]] inline void relaxed_tangent(const trial_stress<T>& t, const tensor_at_points<T>& change,
                                                   const plastic_numbers<T>& m, bool mean_dilatation,
                                                   tensor_at_points<T>& relaxed) {
  using vector = typename eight_of<T>::vector;
  vector deviator[6], pressure;
  elastic_stress(change.value, m, mean_dilatation, deviator, pressure);
  const auto flows = t.multiplier > vector{}, apex = t.is_apex > vector{}, cone = flows & ~apex;
  const vector one = vector{} + T(1), per_mises = one / (cone ? t.mises : one);
  const vector mises_changes = T(1.5) * product_of_deviators(t.deviator, deviator) * per_mises;
  const vector by_pressure = T(3) * m.b * pressure;
  const vector multiplier =
      flows ? (apex ? by_pressure / m.to_apex : (m.a * mises_changes + by_pressure) / m.slope) : vector{};
  const vector by_change = one - t.ratio;
  const vector by_deviator =
      cone ? T(3) * m.mu * m.a * (multiplier - t.multiplier * mises_changes * per_mises) * per_mises : vector{};
  vector relaxed_pressure = T(3) * m.bulk * m.b * multiplier;
  if (mean_dilatation) relaxed_pressure = mean_of_points(relaxed_pressure);
  for (int i = 0; i < 6; ++i) relaxed.value[i] = by_change * deviator[i] + by_deviator * t.deviator[i];
  for (int i = 0; i < 3; ++i) relaxed.value[i] += relaxed_pressure;
}

/// Add what a return to the surface adds to the state.
template <class T>
[[gnu::always_inline]] inline void flow(const trial_stress<T>& t, const plastic_numbers<T>& m, plastic_state<T>& state) {
  const auto gone = T(1) - t.ratio;
  for (int i = 0; i < 3; ++i) state.strain[i] += gone * t.deviator[i] / (m.mu + m.mu) + m.b * t.multiplier;
  for (int i = 3; i < 6; ++i) state.strain[i] += gone * t.deviator[i] / m.mu;
  state.alpha += t.multiplier;
}

/// Elastic energy per volume after the return [MPa].
template <class T>
[[gnu::always_inline]] inline auto elastic_energy(const trial_stress<T>& t, const plastic_numbers<T>& m) {
  const auto mises = t.ratio * t.mises, pressure = t.pressure - T(3) * m.bulk * m.b * t.multiplier;
  return mises * mises / (T(6) * m.mu) + pressure * pressure / (m.bulk + m.bulk);
}

/// The same of a strain that is all elastic.
template <class T>
[[gnu::always_inline]] inline auto energy_of_strain(const tensor_at_points<T>& strain, const plastic_numbers<T>& m,
                                                    bool mean_dilatation) {
  typename eight_of<T>::vector deviator[6], pressure;
  elastic_stress(strain.value, m, mean_dilatation, deviator, pressure);
  return product_of_deviators(deviator, deviator) / (T(4) * m.mu) + pressure * pressure / (m.bulk + m.bulk);
}

}  // namespace osteon::kernel
