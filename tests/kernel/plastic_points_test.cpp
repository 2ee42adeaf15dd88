#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/splitmix.hpp>
#include <osteon/kernel/elasticity/element_stiffness.hpp>
#include <osteon/kernel/elasticity/plastic_points.hpp>

namespace plastic_points_test {

using namespace osteon;
using namespace osteon::kernel;

constexpr vector3 edges{0.9, 1.0, 1.2};
const lame constants = lame_of(10000, 0.3);

// Numbers in [-1, 1], the same on every platform.
double number(std::uint64_t n) { return static_cast<double>(splitmix64(n) >> 11) * 0x1p-52 - 1; }

struct brick {
  double per_mm[3] = {1 / edges.z, 1 / edges.y, 1 / edges.x};
  double scale[3];
  vector_at_corners<double> u;
  explicit brick(double size, std::uint64_t seed = 1) {
    const double volume = edges.z * edges.y * edges.x;
    for (int d = 0; d < 3; ++d) scale[d] = volume / 8 / edges[d];
    for (int c = 0; c < 3; ++c)
      for (int a = 0; a < 8; ++a) u.value[c][a] = size * number(seed + static_cast<std::uint64_t>(3 * a + c));
  }
};

plastic_material material(double tension, double compression, double hardening, double interaction = interaction_of_cone) {
  return {constants.mu, constants.lambda + 2 * constants.mu / 3, surface_of(tension, compression, hardening, interaction)};
}

// Yield surfaces: a cylinder, cones, and quadrics. The quadrics are closed, open, or nearly a cone.
struct strengths {
  double tension, compression, interaction;
};
constexpr strengths all_strengths[] = {{80, 80, 0.5},  {50, 90, 0.5}, {90, 60, 0.5},   {20, 200, 0.5}, {50, 90, 0.3},
                                       {50, 90, -0.5}, {80, 80, 0},   {20, 200, 0.45}, {90, 60, 0.49}, {50, 90, 0.4999}};

// A state of a point by plain arithmetic. The stress zz, yy, xx, zy, zx, yx belongs to an elastic strain with engineering
// shears.
struct point {
  double s[6];
  double mean() const { return (s[0] + s[1] + s[2]) / 3; }
  double mises() const {
    double square = 0;
    for (int i = 0; i < 3; ++i) square += (s[i] - mean()) * (s[i] - mean());
    for (int i = 3; i < 6; ++i) square += 2 * s[i] * s[i];
    return std::sqrt(1.5 * square);
  }
};
point stress_of(const double (&strain)[6], const plastic_material& m) {
  const double trace = strain[0] + strain[1] + strain[2];
  point p{};
  for (int i = 0; i < 6; ++i) p.s[i] = (i < 3 ? 2 * m.mu * strain[i] + (m.bulk - 2 * m.mu / 3) * trace : m.mu * strain[i]);
  return p;
}

// Oracle: the product of the element matrix (2 x 2 x 2 Gauss points) and the displacements.
TEST(plastic_points, elastic_forces_are_those_of_the_element_matrix) {
  const brick b(1e-3);
  const plastic_material m = material(80, 80, 0);
  const matrix24 k = element_stiffness(edges, constants);

  tensor_at_points<double> strain, stress;
  strains_at_points(b.u, b.per_mm, strain);
  eight deviator[6], pressure;
  vector_at_corners<double> force;
  elastic_stress(strain.value, plastic_numbers<double>(m), false, deviator, pressure);
  for (int i = 0; i < 6; ++i) stress.value[i] = deviator[i];
  for (int i = 0; i < 3; ++i) stress.value[i] += pressure;
  forces_of_stresses(stress, b.scale, force);

  for (std::size_t i = 0; i < 24; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < 24; ++j) expected += k[24 * i + j] * b.u.value[j % 3][j / 3];
    EXPECT_NEAR(force.value[i % 3][i / 3], expected, 1e-12);
  }
}

// Oracle: the conditions of associated flow. The stress is on the surface, the plastic strain is normal to the surface, and
// the multiplier is not negative. The initial strains have the size of a step, or are far larger.
TEST(plastic_points, returns_to_the_surface_along_its_normal) {
  for (const auto& [tension, compression, interaction] : all_strengths)
    for (const double hardening : {100.0, 1.0})
      for (const double size : {1e-2, 3e-2, 1.0})
        for (std::uint64_t seed = 1; seed < 20; ++seed) {
          const plastic_material m = material(tension, compression, hardening, interaction);
          const brick b(size, seed);
          tensor_at_points<double> strain;
          trial_stress<double> trial;
          strains_at_points(b.u, b.per_mm, strain);
          if (!return_to_surface<double>(strain, nullptr, plastic_numbers<double>(m), false, trial)) continue;
          plastic_state<double> state;
          flow(trial, plastic_numbers<double>(m), state);
          for (int g = 0; g < 8; ++g) {
            double elastic[6], plastic[6];
            for (int i = 0; i < 6; ++i) {
              plastic[i] = state.strain[i][g];
              elastic[i] = strain.value[i][g] - plastic[i];
            }
            const point p = stress_of(elastic, m);
            const yield_surface& s = m.surface;
            const double root = std::hypot(s.a * p.mises(), 3 * s.c * p.mean());
            const double f = root + 3 * s.b * p.mean() - 1 - s.h * state.alpha[g];
            ASSERT_GE(state.alpha[g], 0);
            if (state.alpha[g] == 0) {
              EXPECT_LE(f, 1e-12);
              continue;
            }
            // The trial stress is up to a thousand times the strength.
            EXPECT_NEAR(f, 0, 2e-13 * (10 + size * 3000)) << tension << ' ' << compression << ' ' << interaction;
            if (trial.is_apex[g] > 0) continue;
            for (int i = 0; i < 6; ++i) {
              const double deviator = i < 3 ? p.s[i] - p.mean() : 2 * p.s[i];
              const double normal = 1.5 * s.a * s.a * deviator / root + (i < 3 ? 3 * s.c * s.c * p.mean() / root + s.b : 0);
              EXPECT_NEAR(plastic[i], state.alpha[g] * normal, size < 0.1 ? 1e-14 : 3e-12) << i << ' ' << g;
            }
          }
        }
}

// Oracle: beyond the tip of the cone, the stress is hydrostatic. Without hardening, the mean stress is st sc / (sc - st) /
// 1.5.
TEST(plastic_points, ends_in_the_tip_of_the_cone) {
  plastic_material m = material(20, 80, 0);
  m.surface.h = 1e-9;
  tensor_at_points<double> strain;
  for (int i = 0; i < 6; ++i) strain.value[i] = eight{} + (i < 3 ? 0.01 : 0.0005);
  trial_stress<double> trial;
  ASSERT_TRUE(return_to_surface<double>(strain, nullptr, plastic_numbers<double>(m), false, trial));
  plastic_state<double> state;
  flow(trial, plastic_numbers<double>(m), state);
  for (int g = 0; g < 8; ++g) {
    EXPECT_EQ(trial.is_apex[g], 1);
    double elastic[6];
    for (int i = 0; i < 6; ++i) elastic[i] = strain.value[i][g] - state.strain[i][g];
    const point p = stress_of(elastic, m);
    EXPECT_NEAR(p.mises(), 0, 1e-10);
    EXPECT_NEAR(p.mean(), 2.0 / 3 * 20 * 80 / (80 - 20), 1e-6);
  }
}

// Oracle: the uniaxial strengths, by construction of the surface. For a quadric with zero interaction and equal strengths,
// the surface is a sphere in the space of principal stresses.
TEST(plastic_points, yields_at_both_uniaxial_strengths) {
  for (const double interaction : {0.5, 0.3, -0.5}) {
    const yield_surface s = surface_of(50, 90, 0, interaction);
    EXPECT_DOUBLE_EQ(std::hypot(s.a, s.c) * 50 + s.b * 50, 1);
    EXPECT_DOUBLE_EQ(std::hypot(s.a, s.c) * 90 - s.b * 90, 1);
  }
  EXPECT_EQ(surface_of(50, 90, 0).c, 0);
  const yield_surface sphere = surface_of(80, 80, 0, 0);
  EXPECT_NEAR(3 * sphere.c, std::sqrt(3.0) / 80, 1e-15);               // hydrostatic
  EXPECT_NEAR(sphere.a * std::sqrt(3.0), std::sqrt(2.0) / 80, 1e-15);  // pure shear
}

// Oracle: central differences of the relaxed stress. The resulting form is symmetric.
TEST(plastic_points, tangent_is_the_derivative_and_symmetric) {
  for (const bool mean_dilatation : {false, true})
    for (const auto& [tension, compression, interaction] : all_strengths) {
      const plastic_numbers<double> m(material(tension, compression, 100, interaction));
      const brick b(1e-2), along(1e-3, 77), other(1e-3, 1234);
      plastic_state<double> state;
      for (int i = 0; i < 6; ++i)
        for (int g = 0; g < 8; ++g) state.strain[i][g] = 1e-3 * number(static_cast<std::uint64_t>(500 + 8 * i + g));
      state.alpha = eight{} + 0.01;
      trial_stress<double> trial;
      const auto relaxed_at = [&](double t) {
        vector_at_corners<double> u;
        for (int c = 0; c < 3; ++c) u.value[c] = b.u.value[c] + t * along.u.value[c];
        tensor_at_points<double> strain, relaxed;
        strains_at_points(u, b.per_mm, strain);
        return_to_surface(strain, &state, m, mean_dilatation, trial);
        relaxed_stress(trial, &state, m, mean_dilatation, relaxed);
        return relaxed;
      };
      constexpr double step = 1e-6;
      const tensor_at_points<double> upper = relaxed_at(step), lower = relaxed_at(-step);
      relaxed_at(0);
      tensor_at_points<double> change, tangent, change_of_other, tangent_of_other;
      strains_at_points(along.u, b.per_mm, change);
      relaxed_tangent(trial, change, m, mean_dilatation, tangent);
      strains_at_points(other.u, b.per_mm, change_of_other);
      relaxed_tangent(trial, change_of_other, m, mean_dilatation, tangent_of_other);
      double forth = 0, back = 0;
      for (int i = 0; i < 6; ++i)
        for (int g = 0; g < 8; ++g) {
          EXPECT_NEAR(tangent.value[i][g], (upper.value[i][g] - lower.value[i][g]) / (2 * step), 2e-6);
          forth += tangent.value[i][g] * change_of_other.value[i][g];
          back += tangent_of_other.value[i][g] * change.value[i][g];
        }
      EXPECT_NEAR(forth, back, 1e-12 * std::abs(forth));
    }
}

// Oracle: the computation in double precision.
TEST(plastic_points, single_precision_makes_the_same_tangent) {
  for (const double interaction : {0.5, 0.3}) {
    const plastic_material m = material(50, 90, 100, interaction);
    const brick b(2e-2), along(1e-3, 77);
    const auto tangent_in = [&]<class T>(T) {
      vector_at_corners<T> u, p;
      T per_mm[3];
      for (int c = 0; c < 3; ++c) {
        per_mm[c] = static_cast<T>(b.per_mm[c]);
        for (int a = 0; a < 8; ++a) {
          u.value[c][a] = static_cast<T>(b.u.value[c][a]);
          p.value[c][a] = static_cast<T>(along.u.value[c][a]);
        }
      }
      tensor_at_points<T> strain, change, tangent;
      trial_stress<T> trial;
      const plastic_numbers<T> numbers(m);
      strains_at_points(u, per_mm, strain);
      // As in the solver, a return that was found in double precision is not searched again.
      quadric_returns known;
      if (sizeof(T) == 4) {
        tensor_at_points<double> exact_strain;
        trial_stress<double> exact;
        strains_at_points(b.u, b.per_mm, exact_strain);
        return_to_surface<double>(exact_strain, nullptr, plastic_numbers<double>(m), true, exact);
        known = returns_of(exact);
      }
      return_to_surface<T>(strain, nullptr, numbers, true, trial, sizeof(T) == 4 && interaction < 0.5 ? &known : nullptr);
      strains_at_points(p, per_mm, change);
      relaxed_tangent(trial, change, numbers, true, tangent);
      return tangent;
    };
    const auto exact = tangent_in(1.0);
    const auto single = tangent_in(1.0F);
    for (int i = 0; i < 6; ++i)
      for (int g = 0; g < 8; ++g) EXPECT_NEAR(single.value[i][g], exact.value[i][g], 1e-4);
  }
}

}  // namespace plastic_points_test
