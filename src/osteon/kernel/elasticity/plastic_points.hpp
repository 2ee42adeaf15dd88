#pragma once
/// @file
/// Plasticity with a yield function of two stress invariants at the eight Gauss points of a brick: return mapping and its
/// tangent. The model has small strains, associated flow, and isotropic linear hardening.
///
/// Lanes are selected by masks instead of branches, because often only some points of a brick yield.
#include <osteon/kernel/elasticity/gauss_points.hpp>
#include <osteon/kernel/elasticity/quadric_return.hpp>

namespace osteon::kernel {

/// Material constants of the points in the precision of the lanes.
template <class T>
struct plastic_numbers {
  plastic_material exact;
  T mu, bulk, a, b, h, c, to_apex, slope;
  bool is_quadric;
  explicit plastic_numbers(const plastic_material& m)
      : exact(m),
        mu(static_cast<T>(m.mu)),
        bulk(static_cast<T>(m.bulk)),
        a(static_cast<T>(m.surface.a)),
        b(static_cast<T>(m.surface.b)),
        h(static_cast<T>(m.surface.h)),
        c(static_cast<T>(m.surface.c)),
        to_apex(static_cast<T>(9 * m.bulk * m.surface.b * m.surface.b + m.surface.h)),
        slope(static_cast<T>(3 * m.mu * m.surface.a * m.surface.a + 9 * m.bulk * m.surface.b * m.surface.b + m.surface.h)),
        is_quadric(m.surface.c > 0) {}
};

/// History of a Gauss point: plastic strain zz, yy, xx, zy, zx, yx (engineering shears), and the hardening variable alpha.
template <class T>
struct plastic_state {
  typename eight_of<T>::vector strain[6]{};
  typename eight_of<T>::vector alpha{};
};

/// Invariants of the elastic trial stress of a state, from which the return mapping starts.
template <class T>
struct trial_stress {
  using vector = typename eight_of<T>::vector;
  vector deviator[6];  ///< zz, yy, xx, zy, zx, yx
  vector mises;        ///< q
  vector pressure;     ///< mean stress, positive in tension
  vector excess;       ///< f
  vector multiplier;   ///< increment of the return mapping, >= 0
  vector ratio;        ///< ratio of the deviators after and before the return
  vector relief;       ///< mean stress before minus mean stress after the return
  vector is_apex;      ///< 1 if the return ends at the apex of the cone
  vector per_root;     ///< for a quadric: see quadric_return
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

/// Deviatoric stress and mean stress of an elastic strain. @param mean_dilatation use the mean trace of the brick
template <class T, class V>
[[gnu::always_inline]] inline void elastic_stress(const V (&strain)[6], const plastic_numbers<T>& m, bool mean_dilatation,
                                                  V (&deviator)[6], V& pressure) {
  const V trace = strain[0] + strain[1] + strain[2];
  const T twice = m.mu + m.mu;
  for (int i = 0; i < 3; ++i) deviator[i] = twice * (strain[i] - trace / T(3));
  for (int i = 3; i < 6; ++i) deviator[i] = m.mu * strain[i];
  pressure = m.bulk * (mean_dilatation ? mean_of_points(trace) : trace);
}

/// Return mappings of the eight points to a quadric, stored between the computation of forces and of the tangent.
struct quadric_returns {
  eight_of<float>::vector multiplier, per_root;
};

template <class T>
[[gnu::always_inline]] inline quadric_returns returns_of(const trial_stress<T>& t) {
  return {__builtin_convertvector(t.multiplier, eight_of<float>::vector),
          __builtin_convertvector(t.per_root, eight_of<float>::vector)};
}

template <class T>
[[gnu::always_inline]] inline void return_to_quadric(const plastic_numbers<T>& m,
                                                     const typename eight_of<T>::vector& hardened,
                                                     const quadric_returns* known, trial_stress<T>& t) {
  using vector = typename eight_of<T>::vector;
  if (known) {
    t.multiplier = __builtin_convertvector(known->multiplier, vector);
    t.per_root = __builtin_convertvector(known->per_root, vector);
  } else {
    for (int g = 0; g < 8; ++g) {
      if (!(t.excess[g] > 0)) continue;
      const quadric_return end = return_to_quadric(static_cast<double>(t.mises[g]), 3 * static_cast<double>(t.pressure[g]),
                                                   static_cast<double>(hardened[g]), m.exact);
      t.multiplier[g] = static_cast<T>(end.multiplier);
      t.per_root[g] = static_cast<T>(end.per_root);
    }
  }
  const T swell = T(9) * m.bulk * m.c * m.c;
  t.ratio = T(1) / (T(1) + T(3) * m.mu * m.a * m.a * t.per_root);
  t.relief = (swell * t.per_root * t.pressure + T(3) * m.bulk * m.b * t.multiplier) / (T(1) + swell * t.per_root);
}

/// Return mapping of the stress of a strain. @param state null if there is no history @param known previously computed
/// solution for a quadric at equal strain and state; null if there is none @return true if any point yields
template <class T>
[[gnu::always_inline]] inline bool return_to_surface(const tensor_at_points<T>& strain, const plastic_state<T>* state,
                                                     const plastic_numbers<T>& m, bool mean_dilatation, trial_stress<T>& t,
                                                     const quadric_returns* known = nullptr) {
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
  t.excess =
      (m.is_quadric ? root_of(m.a * m.a * t.mises * t.mises + T(9) * m.c * m.c * t.pressure * t.pressure) : m.a * t.mises) +
      by_pressure;
  const auto flows = t.excess > vector{};
  bool any = known != nullptr;
  for (int g = 0; g < 8; ++g) any |= flows[g] != 0;
  const vector one = vector{} + T(1);
  t.ratio = one;
  t.multiplier = t.relief = t.is_apex = t.per_root = vector{};
  if (!any) return false;
  if (m.is_quadric) {
    return_to_quadric(m, hardened, known, t);
    return true;
  }
  const vector multiplier = t.excess / m.slope, mises = t.mises - T(3) * m.mu * m.a * multiplier;
  const auto beyond = flows & (mises < vector{});
  t.multiplier = flows ? (beyond ? by_pressure / m.to_apex : multiplier) : vector{};
  t.ratio = flows ? (beyond ? vector{} : mises / t.mises) : one;
  t.relief = T(3) * m.bulk * m.b * t.multiplier;
  t.is_apex = beyond ? one : vector{};
  return true;
}

/// Elastic stress of the total plastic strain, which includes the increment. This stress equals the elastic stress of the
/// strain minus the stress.
template <class T>
[[gnu::always_inline]] inline void relaxed_stress(const trial_stress<T>& t, const plastic_state<T>* state,
                                                  const plastic_numbers<T>& m, bool mean_dilatation,
                                                  tensor_at_points<T>& relaxed) {
  using vector = typename eight_of<T>::vector;
  vector pressure = t.relief;
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

/// Derivative of the return mapping to a quadric: reduction of elastic changes of deviator and mean stress.
template <class T, class V>
[[gnu::always_inline]] inline void relaxed_by_quadric(const trial_stress<T>& t, const plastic_numbers<T>& m,
                                                      const V (&deviator)[6], const V& pressure, V (&relaxed)[6],
                                                      V& relaxed_pressure) {
  const auto flows = t.multiplier > V{};
  const V one = V{} + T(1);
  const V per_mises = one / (t.mises > V{} ? t.mises : one), per_root = flows ? t.per_root : V{};
  const V y = flows ? t.multiplier / (flows ? t.per_root : one) : one;
  const V q = t.ratio * t.mises, trace = T(3) * (t.pressure - t.relief);
  const V along_q = m.a * m.a * q / y, along_trace = m.c * m.c * trace / y;
  // Stresses q, I1 and the normal n: (1 + w C Hessian of the root) d(q, I1) = d(q, I1)_trial - C n d gamma.
  const V shear = T(3) * m.mu * per_root, swell = T(9) * m.bulk * per_root, mixed = along_q * along_trace;
  const V of_q = shear * (m.a * m.a - along_q * along_q), of_trace = swell * (m.c * m.c - along_trace * along_trace);
  const V per_determinant = one / (one + of_q + of_trace);
  const V q_trial = T(1.5) * product_of_deviators(t.deviator, deviator) * per_mises, trace_trial = T(3) * pressure;
  const V normal = along_trace + m.b;
  const V q_free = ((one + of_trace) * q_trial + shear * mixed * trace_trial) * per_determinant,
          trace_free = (swell * mixed * q_trial + (one + of_q) * trace_trial) * per_determinant;
  const V stiff_q = T(3) * m.mu * along_q, stiff_trace = T(9) * m.bulk * normal;
  const V q_per = ((one + of_trace) * stiff_q + shear * mixed * stiff_trace) * per_determinant,
          trace_per = (swell * mixed * stiff_q + (one + of_q) * stiff_trace) * per_determinant;
  const V multiplier = (along_q * q_free + normal * trace_free) / (along_q * q_per + normal * trace_per + m.h);
  const V q_change = q_free - q_per * multiplier, trace_change = trace_free - trace_per * multiplier;
  const V by_change = flows ? one - t.ratio : V{};
  const V by_deviator = flows ? (t.ratio * q_trial - q_change) * per_mises : V{};
  for (int i = 0; i < 6; ++i) relaxed[i] = by_change * deviator[i] + by_deviator * t.deviator[i];
  relaxed_pressure = flows ? (trace_trial - trace_change) / T(3) : V{};
}

/// Derivative of relaxed_stress along a change of the strain: (elastic stiffness - tangent) times the change.
template <class T>
[[gnu::always_inline]] inline void relaxed_tangent(const trial_stress<T>& t, const tensor_at_points<T>& change,
                                                   const plastic_numbers<T>& m, bool mean_dilatation,
                                                   tensor_at_points<T>& relaxed) {
  using vector = typename eight_of<T>::vector;
  vector deviator[6], pressure;
  elastic_stress(change.value, m, mean_dilatation, deviator, pressure);
  if (m.is_quadric) {
    vector mean;
    relaxed_by_quadric(t, m, deviator, pressure, relaxed.value, mean);
    if (mean_dilatation) mean = mean_of_points(mean);
    for (int i = 0; i < 3; ++i) relaxed.value[i] += mean;
    return;
  }
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

/// Add the increment of a return mapping to the state.
template <class T>
[[gnu::always_inline]] inline void flow(const trial_stress<T>& t, const plastic_numbers<T>& m, plastic_state<T>& state) {
  const auto gone = T(1) - t.ratio;
  for (int i = 0; i < 3; ++i) state.strain[i] += gone * t.deviator[i] / (m.mu + m.mu) + t.relief / (T(3) * m.bulk);
  for (int i = 3; i < 6; ++i) state.strain[i] += gone * t.deviator[i] / m.mu;
  state.alpha += t.multiplier;
}

/// Elastic energy per volume after the return [MPa].
template <class T>
[[gnu::always_inline]] inline auto elastic_energy(const trial_stress<T>& t, const plastic_numbers<T>& m) {
  const auto mises = t.ratio * t.mises, pressure = t.pressure - t.relief;
  return mises * mises / (T(6) * m.mu) + pressure * pressure / (m.bulk + m.bulk);
}

/// Elastic energy per volume of a purely elastic strain [MPa].
template <class T>
[[gnu::always_inline]] inline auto energy_of_strain(const tensor_at_points<T>& strain, const plastic_numbers<T>& m,
                                                    bool mean_dilatation) {
  typename eight_of<T>::vector deviator[6], pressure;
  elastic_stress(strain.value, m, mean_dilatation, deviator, pressure);
  return product_of_deviators(deviator, deviator) / (T(4) * m.mu) + pressure * pressure / (m.bulk + m.bulk);
}

}  // namespace osteon::kernel
