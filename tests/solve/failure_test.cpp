#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/solve/failure/failure.hpp>

#include "dense_plasticity.hpp"

namespace failure_test {

using namespace osteon;
using namespace osteon::elastic_model;

constexpr double modulus = 10000, ratio = 0.3, yield = 80, hardening = 100;

model specimen(index3 shape, double nu = ratio, vector3 spacing = {1, 1, 1}) {
  model m = solid(shape, spacing);
  m.materials = {{}, {"bone", modulus, nu}, {"other", modulus, nu}};
  return m;
}

solve::failure_plan plan_of(double tension, double compression, double slope, std::vector<double> turns, int steps,
                            kernel::dilatation how = kernel::dilatation::at_points) {
  solve::failure_plan plan;
  plan.surfaces = {{}, kernel::surface_of(tension, compression, slope), kernel::surface_of(tension, compression, slope)};
  plan.turns = std::move(turns);
  plan.steps = steps;
  plan.integration = how;
  return plan;
}

// The specimen is pressed or pulled along z between smooth plates; planes of symmetry hold it.
support uniaxial(index3 shape, double displacement) {
  return [=](index3 node, const axis_value& fix) {
    if (node.z == 0) fix(0, 0);
    if (node.z == shape.z) fix(0, displacement);
    if (node.y == 0) fix(1, 0);
    if (node.x == 0) fix(2, 0);
  };
}
support confined(index3 shape, double displacement) {
  return [=](index3 node, const axis_value& fix) {
    for (int c = 0; c < 3; ++c) {
      if (node[c] == 0) fix(c, 0);
      if (node[c] == shape[c]) fix(c, c == 0 ? displacement : 0);
    }
  };
}
// u_y = gamma z on all faces.
support sheared(index3 shape, double gamma) {
  return [=](index3 node, const axis_value& fix) {
    for (int c = 0; c < 3; ++c)
      if (node.z == 0 || node.z == shape.z || node.y == 0 || node.y == shape.y || node.x == 0 || node.x == shape.x)
        fix(c, c == 1 ? gamma * static_cast<double>(node.z) : 0);
  };
}
support bonded(index3 shape, double displacement) {
  return [=](index3 node, const axis_value& fix) {
    if (node.z != 0 && node.z != shape.z) return;
    for (int c = 0; c < 3; ++c) fix(c, c == 0 && node.z != 0 ? displacement : 0);
  };
}

solve::failure_solution solved(const solve::elasticity_problem& p, const solve::failure_plan& plan,
                               double tolerance = 1e-9) {
  return solve::solve_failure(p, plan, {tolerance, 500}, {}, null_log());
}

// The force of a record: amounts are those of one face.
double force(const solve::failure_record& r, double displacement) { return r.load / displacement; }

// Oracle: analytic; F = A (sy + Et (e - ey)), Et = E H / (E + H), and ey = sy / E, in compression and tension.
TEST(failure, a_bar_yields_and_hardens_along_two_straight_lines) {
  for (const index3 shape : {index3{3, 1, 1}, {6, 2, 3}, {5, 4, 4}})
    for (const double sign : {-1.0, 1.0})
      for (const auto how : {kernel::dilatation::at_points, kernel::dilatation::mean}) {
        const model m = specimen(shape);
        const double displacement = sign * 0.02 * static_cast<double>(shape.z),
                     area = static_cast<double>(shape.y * shape.x);
        const auto p = make_problem(m, uniaxial(shape, displacement));
        const auto s = solved(p, plan_of(yield, yield, hardening, {1}, 10, how));
        ASSERT_EQ(s.ended, "");
        EXPECT_NEAR(s.first_yield, 0.4, 1e-8);
        const double tangent = modulus * hardening / (modulus + hardening);
        for (const solve::failure_record& r : s.curve) {
          const double strain = 0.02 * r.factor;
          const double stress = strain <= yield / modulus ? modulus * strain : yield + tangent * (strain - yield / modulus);
          EXPECT_NEAR(force(r, displacement), sign * area * stress, 1e-6 * area * yield) << r.factor;
          // The curve is made of straight lines that begin at records: the trapezoidal rule is exact.
          EXPECT_NEAR(r.work_mJ, r.stored_mJ + r.dissipated_mJ + r.hardening_mJ, 1e-6 * s.curve.back().work_mJ);
        }
        EXPECT_NEAR(s.curve.back().yielded, 1, 1e-12);
        EXPECT_NEAR(sign > 0 ? s.curve.back().in_tension : s.curve.back().in_compression, 1, 1e-12);
        EXPECT_LT(s.proof.yield_violation, 1e-6);
        EXPECT_GE(s.proof.smallest_dissipation_MPa, 0);
      }
}

// Oracle: analytic; held at its sides it yields at sy (1 - nu) / (1 - 2 nu) = 140 MPa, strain 0.0104, then the slope is the
// bulk modulus, 8333.33 MPa, without hardening.
TEST(failure, a_confined_bar_yields_later_and_goes_on_with_the_bulk_modulus) {
  for (const index3 shape : {index3{3, 2, 2}, {5, 3, 4}})
    for (const auto how : {kernel::dilatation::at_points, kernel::dilatation::mean}) {
      const model m = specimen(shape);
      const double displacement = -0.02 * static_cast<double>(shape.z), area = static_cast<double>(shape.y * shape.x);
      const auto s = solved(make_problem(m, confined(shape, displacement)), plan_of(yield, yield, 0, {1}, 8, how));
      EXPECT_NEAR(s.first_yield * 0.02, 0.0104, 1e-9);
      for (const solve::failure_record& r : s.curve) {
        const double strain = 0.02 * r.factor;
        const double stress =
            strain <= 0.0104 ? 140 / 0.0104 * strain : 140 + modulus / 3 / (1 - 2 * ratio) * (strain - 0.0104);
        EXPECT_NEAR(force(r, displacement), -area * stress, 1e-6 * area * yield);
      }
    }
}

// Oracle: analytic; in pure shear it yields at sy / sqrt(3) = 46.188 MPa.
TEST(failure, shear_yields_at_the_yield_stress_over_the_root_of_three) {
  const index3 shape{3, 3, 4};
  const model m = specimen(shape);
  const double gamma = 0.03, volume = 36;
  const auto s = solved(make_problem(m, sheared(shape, gamma)), plan_of(yield, yield, 1, {1}, 5));
  const double mu = modulus / 2 / (1 + ratio);
  EXPECT_NEAR(s.first_yield * gamma * mu, yield / std::sqrt(3.0), 1e-6);
  // Work over the factor is the shear stress times gamma, over the volume.
  const double tangent = 1.0 / 3 / (1 + 1.0 / 3 / mu);
  const double stress = yield / std::sqrt(3.0) + tangent * (gamma - yield / std::sqrt(3.0) / mu);
  EXPECT_NEAR(s.curve.back().load, stress * gamma * volume, 1e-6 * stress * gamma * volume);
}

// Oracle: analytic; two bars side by side that do not touch bear the sum of what each one bears alone.
TEST(failure, parallel_bars_of_two_yield_stresses_make_three_straight_lines) {
  const index3 shape{4, 2, 5};
  model m = specimen(shape);
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 2; ++y) {
      m.at(z, y, 2) = 0;
      for (int x = 3; x < 5; ++x) m.at(z, y, x) = 2;
    }
  const double displacement = -0.03 * 4;
  solve::failure_plan plan = plan_of(yield, yield, hardening, {1}, 12);
  plan.surfaces[2] = kernel::surface_of(2 * yield, 2 * yield, hardening);
  const support plates = [=](index3 node, const axis_value& fix) {
    uniaxial(shape, displacement)(node, fix);
    if (node.x == shape.x) fix(2, 0);
  };
  const auto s = solved(make_problem(m, plates), plan);
  const auto bar = [&](double strain, double sy) {
    const double tangent = modulus * hardening / (modulus + hardening);
    return strain <= sy / modulus ? modulus * strain : sy + tangent * (strain - sy / modulus);
  };
  for (const solve::failure_record& r : s.curve)
    EXPECT_NEAR(force(r, displacement), -4 * (bar(0.03 * r.factor, yield) + bar(0.03 * r.factor, 2 * yield)), 8e-6 * yield);
}

// Oracle: analytic; both strengths of the cone exactly, and the hardening's slope in compression.
TEST(failure, a_cone_yields_at_its_two_strengths) {
  const index3 shape{4, 2, 3};
  const model m = specimen(shape);
  for (const double sign : {-1.0, 1.0}) {
    const double displacement = sign * 0.02 * 4, strength = sign > 0 ? 50 : 90;
    const auto s = solved(make_problem(m, uniaxial(shape, displacement)), plan_of(50, 90, hardening, {1}, 6));
    EXPECT_NEAR(s.first_yield * 0.02, strength / modulus, 1e-9);
    const double slope = hardening * (strength / 90) * (strength / 90), tangent = modulus * slope / (modulus + slope);
    EXPECT_NEAR(force(s.curve.back(), displacement), sign * 6 * (strength + tangent * (0.02 - strength / modulus)),
                1e-6 * 6 * 90);
  }
}

// Oracle: analytic; isotropic hardening: unloads along Young's modulus, yields again in tension at the stress that
// compression had reached.
TEST(failure, unloads_elastically_and_yields_again_at_the_hardened_stress) {
  const index3 shape{3, 2, 2};
  const model m = specimen(shape);
  const double displacement = -0.02 * 3, area = 4;
  const double tangent = modulus * hardening / (modulus + hardening);
  const auto s = solved(make_problem(m, uniaxial(shape, displacement)), plan_of(yield, yield, hardening, {1, 0.9, -1}, 4));
  ASSERT_EQ(s.ended, "");
  const double top = yield + tangent * (0.02 - yield / modulus);
  double reached = 0;
  for (const solve::failure_record& r : s.curve) {
    if (r.factor == 0.9 && s.curve.back().factor != 0.9) reached = r.load / displacement;
  }
  EXPECT_NEAR(reached, -area * (top - modulus * 0.002), 1e-5 * area * yield);
  // From +top in tension on along the tangent.
  const double strain_of_yield = -0.02 + 2 * top / modulus;
  EXPECT_NEAR(force(s.curve.back(), displacement), area * (top + tangent * (0.02 - strain_of_yield)), 2e-5 * area * yield);
  EXPECT_GE(s.proof.smallest_dissipation_MPa, 0);
}

// Oracle: an assembled tangent by differences, a bisected multiplier, a dense factorisation; force by force along a path.
TEST(failure, follows_a_dense_reference_step_by_step) {
  struct law {
    double tension, compression, slope;
  };
  for (const law& l : {law{80, 80, 100}, law{50, 90, 200}, law{30, 150, 500}})
    for (const bool bbar : {false, true}) {
      model m = specimen({3, 2, 3}, ratio, {0.9, 1.0, 1.2});
      m.at(1, 0, 1) = 0;
      m.at(2, 1, 2) = 0;
      const std::vector<double> turns{1, 0.5};
      const double displacement = -0.03 * 2.7;
      const auto s = solved(make_problem(m, bonded(m.shape, displacement)),
                            plan_of(l.tension, l.compression, l.slope, turns, 3,
                                    bbar ? kernel::dilatation::mean : kernel::dilatation::at_points),
                            1e-8);
      ASSERT_EQ(s.ended, "");
      const auto whole = make_problem(m, bonded(m.shape, displacement), MPI_COMM_SELF);
      dense_plasticity reference(whole, {l.tension, l.compression, l.slope}, bbar);
      for (std::size_t n = 1; n < s.curve.size(); ++n) {
        const double expected = reference.go_to(s.curve[n].factor);
        EXPECT_NEAR(s.curve[n].load, expected, 2e-6 * std::abs(s.curve[3].load)) << n << " bbar " << bbar;
      }
    }
}

// Oracle: the same solid on one rank, to the digits that the solver gives; one and two threads.
TEST(failure, does_not_depend_on_ranks_or_threads) {
  const model m = [] {
    model porous_block = porous(10);
    porous_block.materials = {{}, {"bone", modulus, ratio}, {"other", modulus, ratio}};
    return porous_block;
  }();
  const double displacement = -0.015 * 10 * 0.9;
  const auto plan = plan_of(60, 90, hardening, {1}, 3);
  const auto s = solved(make_problem(m, bonded(m.shape, displacement)), plan, 1e-7);
  const auto alone = solved(make_problem(m, bonded(m.shape, displacement), MPI_COMM_SELF), plan, 1e-7);
  omp_set_num_threads(2);
  const auto threads = solved(make_problem(m, bonded(m.shape, displacement)), plan, 1e-7);
  omp_set_num_threads(1);
  ASSERT_EQ(s.curve.size(), alone.curve.size());
  EXPECT_GT(s.curve.back().yielded, 0.1);
  for (std::size_t n = 0; n < s.curve.size(); ++n) {
    EXPECT_NEAR(s.curve[n].load, alone.curve[n].load, 1e-8 * std::abs(alone.curve.back().load));
    EXPECT_NEAR(s.curve[n].dissipated_mJ, alone.curve[n].dissipated_mJ, 1e-7 * alone.curve.back().work_mJ);
    EXPECT_EQ(s.curve[n].load, threads.curve[n].load);
  }
}

// Oracle: what the work is spent on, as steps shrink: the trapezoidal rule errs by the square of the step.
TEST(failure, work_is_stored_and_dissipated) {
  const model m = specimen({3, 3, 3});
  const double displacement = -0.06;
  double before = 0;
  for (const int steps : {5, 10, 20}) {
    const auto s =
        solved(make_problem(m, bonded(m.shape, displacement)), plan_of(yield, yield, hardening, {1}, steps), 1e-7);
    EXPECT_LT(s.proof.work_error, 0.02);
    if (before > 0) {
      EXPECT_LT(s.proof.work_error, 0.6 * before);
    }
    before = s.proof.work_error;
    EXPECT_GE(s.proof.smallest_dissipation_MPa, 0);
  }
}

// Oracle: by the requirements of a path.
TEST(failure, refuses_a_path_that_goes_nowhere) {
  const model m = specimen({3, 2, 2});
  const auto p = make_problem(m, bonded(m.shape, -0.01));
  EXPECT_THROW(solved(p, plan_of(yield, yield, 0, {}, 1)), usage_error);
  EXPECT_THROW(solved(p, plan_of(yield, yield, 0, {1, 1}, 1)), usage_error);
  EXPECT_THROW(solved(p, plan_of(yield, yield, -1, {1}, 1)), usage_error);
}

}  // namespace failure_test
