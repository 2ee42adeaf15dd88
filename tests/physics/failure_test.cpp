#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/physics/failure/solver/failure.hpp>

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

physics::failure_plan plan_of(double tension, double compression, double slope, std::vector<double> turns, int steps,
                              kernel::dilatation how = kernel::dilatation::at_points,
                              double interaction = kernel::interaction_of_cone) {
  physics::failure_plan plan;
  const kernel::yield_surface surface = kernel::surface_of(tension, compression, slope, interaction);
  plan.surfaces = {{}, surface, surface};
  plan.turns = std::move(turns);
  plan.steps = steps;
  plan.integration = how;
  return plan;
}

// The specimen is compressed or stretched along z between smooth plates. Planes of symmetry support the specimen.
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
// Prescribes u_y = gamma z on all faces.
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

physics::failure_solution solved(const numerics::elasticity_problem& p, const physics::failure_plan& plan,
                                 double tolerance = 1e-9) {
  return physics::solve_failure(p, plan, {tolerance, 500}, {}, null_log());
}

// The force of a record, which is the absolute value of the force on one face.
double force(const physics::failure_record& r, double displacement) { return r.load / displacement; }

// Oracle: analytic solution in compression and tension. F = A (sy + Et (e - ey)), with Et = E H / (E + H) and ey = sy / E.
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
        for (const physics::failure_record& r : s.curve) {
          const double strain = 0.02 * r.factor;
          const double stress = strain <= yield / modulus ? modulus * strain : yield + tangent * (strain - yield / modulus);
          EXPECT_NEAR(force(r, displacement), sign * area * stress, 1e-6 * area * yield) << r.factor;
          // The curve consists of straight lines that begin at records, so that the trapezoidal rule is exact.
          EXPECT_NEAR(r.work_mJ, r.stored_mJ + r.dissipated_mJ + r.hardening_mJ, 1e-6 * s.curve.back().work_mJ);
        }
        EXPECT_NEAR(s.curve.back().yielded, 1, 1e-12);
        EXPECT_NEAR(sign > 0 ? s.curve.back().in_tension : s.curve.back().in_compression, 1, 1e-12);
        EXPECT_LT(s.proof.yield_violation, 1e-6);
        EXPECT_GE(s.proof.smallest_dissipation_MPa, 0);
      }
}

// Oracle: analytic solution. A bar that is fixed at its sides yields at sy (1 - nu) / (1 - 2 nu) = 140 MPa and strain
// 0.0104. Without hardening, the slope then is the bulk modulus, 8333.33 MPa.
TEST(failure, a_confined_bar_yields_later_and_goes_on_with_the_bulk_modulus) {
  for (const index3 shape : {index3{3, 2, 2}, {5, 3, 4}})
    for (const auto how : {kernel::dilatation::at_points, kernel::dilatation::mean}) {
      const model m = specimen(shape);
      const double displacement = -0.02 * static_cast<double>(shape.z), area = static_cast<double>(shape.y * shape.x);
      const auto s = solved(make_problem(m, confined(shape, displacement)), plan_of(yield, yield, 0, {1}, 8, how));
      EXPECT_NEAR(s.first_yield * 0.02, 0.0104, 1e-9);
      for (const physics::failure_record& r : s.curve) {
        const double strain = 0.02 * r.factor;
        const double stress =
            strain <= 0.0104 ? 140 / 0.0104 * strain : 140 + modulus / 3 / (1 - 2 * ratio) * (strain - 0.0104);
        EXPECT_NEAR(force(r, displacement), -area * stress, 1e-6 * area * yield);
      }
    }
}

// Oracle: analytic solution. In pure shear, the bar yields at sy / sqrt(3) = 46.188 MPa.
TEST(failure, shear_yields_at_the_yield_stress_over_the_root_of_three) {
  const index3 shape{3, 3, 4};
  const model m = specimen(shape);
  const double gamma = 0.03, volume = 36;
  const auto s = solved(make_problem(m, sheared(shape, gamma)), plan_of(yield, yield, 1, {1}, 5));
  const double mu = modulus / 2 / (1 + ratio);
  EXPECT_NEAR(s.first_yield * gamma * mu, yield / std::sqrt(3.0), 1e-6);
  // The work divided by the factor and by the volume is the shear stress times gamma.
  const double tangent = 1.0 / 3 / (1 + 1.0 / 3 / mu);
  const double stress = yield / std::sqrt(3.0) + tangent * (gamma - yield / std::sqrt(3.0) / mu);
  EXPECT_NEAR(s.curve.back().load, stress * gamma * volume, 1e-6 * stress * gamma * volume);
}

// Oracle: analytic solution. Two bars next to each other without contact carry the sum of their separate forces.
TEST(failure, parallel_bars_of_two_yield_stresses_make_three_straight_lines) {
  const index3 shape{4, 2, 5};
  model m = specimen(shape);
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 2; ++y) {
      m.at(z, y, 2) = 0;
      for (int x = 3; x < 5; ++x) m.at(z, y, x) = 2;
    }
  const double displacement = -0.03 * 4;
  physics::failure_plan plan = plan_of(yield, yield, hardening, {1}, 12);
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
  for (const physics::failure_record& r : s.curve)
    EXPECT_NEAR(force(r, displacement), -4 * (bar(0.03 * r.factor, yield) + bar(0.03 * r.factor, 2 * yield)), 8e-6 * yield);
}

// Oracle: analytic solution. Both strengths of the cone are exact, and so is the slope of hardening in compression.
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

// Oracle: analytic solution. Both strengths of the quadric are exact for any interaction, and so is the slope of hardening
// in compression. Under hydrostatic tension, the quadric yields at 1 / (3 (c + b)). c is the root of (1 - 2 zeta) / 3 times
// the mean of 1 / strength.
TEST(failure, a_quadric_yields_at_its_two_strengths_and_under_pressure) {
  const index3 shape{4, 2, 3};
  const model m = specimen(shape);
  for (const double interaction : {0.3, -0.4})
    for (const double sign : {-1.0, 1.0}) {
      const double displacement = sign * 0.02 * 4, strength = sign > 0 ? 50 : 90;
      const auto s = solved(make_problem(m, uniaxial(shape, displacement)),
                            plan_of(50, 90, hardening, {1}, 6, kernel::dilatation::at_points, interaction));
      EXPECT_NEAR(s.first_yield * 0.02, strength / modulus, 1e-9);
      const double slope = hardening * (strength / 90) * (strength / 90), tangent = modulus * slope / (modulus + slope);
      EXPECT_NEAR(force(s.curve.back(), displacement), sign * 6 * (strength + tangent * (0.02 - strength / modulus)),
                  1e-6 * 6 * 90);
      EXPECT_LT(s.proof.yield_violation, 1e-6);
    }
  const double interaction = 0.3, mean = (1 / 50.0 + 1 / 90.0) / 2, b = (1 / 50.0 - 1 / 90.0) / 2,
               c = mean * std::sqrt((1 - 2 * interaction) / 3);
  const double strain = 0.01;
  const support swollen = [=](index3 node, const axis_value& fix) {
    for (int k = 0; k < 3; ++k)
      if (node[k] == 0 || node[k] == shape[k]) fix(k, strain * static_cast<double>(node[k]));
  };
  const auto s = solved(make_problem(m, swollen), plan_of(50, 90, 1, {1}, 4, kernel::dilatation::at_points, interaction));
  const double bulk = modulus / 3 / (1 - 2 * ratio);
  EXPECT_NEAR(s.first_yield * strain * 3 * bulk, 1 / (3 * (c + b)), 1e-6);
  // With f = 3 (c + b) p - 1 - h alpha and the volume strain 3 (c + b) gamma, p = (1 + h gamma) / 3 (c + b).
  const double d = 3 * (c + b), h = 1 / (90.0 * 90);
  const double gamma = (d * bulk * 3 * strain - 1) / (bulk * d * d + h), p = (1 + h * gamma) / d;
  EXPECT_NEAR(s.curve.back().load, p * 3 * strain * 24, 1e-6 * p * 3 * strain * 24);
}

// Oracle: analytic solution for isotropic hardening. The bar unloads along Young's modulus. It yields again in tension at
// the maximum stress of the compression.
TEST(failure, unloads_elastically_and_yields_again_at_the_hardened_stress) {
  const index3 shape{3, 2, 2};
  const model m = specimen(shape);
  const double displacement = -0.02 * 3, area = 4;
  const double tangent = modulus * hardening / (modulus + hardening);
  const auto s = solved(make_problem(m, uniaxial(shape, displacement)), plan_of(yield, yield, hardening, {1, 0.9, -1}, 4));
  ASSERT_EQ(s.ended, "");
  const double top = yield + tangent * (0.02 - yield / modulus);
  double reached = 0;
  for (const physics::failure_record& r : s.curve) {
    if (r.factor == 0.9 && s.curve.back().factor != 0.9) reached = r.load / displacement;
  }
  EXPECT_NEAR(reached, -area * (top - modulus * 0.002), 1e-5 * area * yield);
  // From +top in tension, the curve follows the tangent.
  const double strain_of_yield = -0.02 + 2 * top / modulus;
  EXPECT_NEAR(force(s.curve.back(), displacement), area * (top + tangent * (0.02 - strain_of_yield)), 2e-5 * area * yield);
  EXPECT_GE(s.proof.smallest_dissipation_MPa, 0);
}

// Oracle: an assembled tangent by differences, a multiplier by bisection, and a dense factorisation. The forces are compared
// one by one along a path.
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

// Oracle: the same solid on one rank, to the digits of the solver tolerance, with one and with two threads.
TEST(failure, does_not_depend_on_ranks_or_threads) {
  for (const auto& [interaction, edge] : {std::pair{0.5, 10}, {0.3, 6}}) {
    model m = porous(edge);
    m.materials = {{}, {"bone", modulus, ratio}, {"other", modulus, ratio}};
    const double displacement = -0.015 * edge * 0.9;
    const auto plan = plan_of(60, 90, hardening, {1}, 3, kernel::dilatation::at_points, interaction);
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
}

// Oracle: the balance of the work for steps that shrink. The error of the trapezoidal rule is of second order in the step.
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

// Oracle: the path of displacements that leads to the loads. A load is reached to 1e-6 of the largest load.
TEST(failure, goes_to_given_loads_by_the_displacements_that_they_take) {
  const index3 shape{3, 3, 3};
  const model m = specimen(shape);
  const double displacement = -0.06;
  const auto p = make_problem(m, bonded(shape, displacement));
  physics::failure_plan plan = plan_of(yield, yield, hardening, {1, 0, 0.5}, 2);
  plan.amount = displacement;
  plan.load = -900;  // this load is beyond yielding, which begins at about -770
  const auto s = solved(p, plan);
  ASSERT_EQ(s.ended, "");
  ASSERT_EQ(s.turns.size(), 3U);
  const auto load_at = [&](double factor) {
    for (const auto& r : s.curve)
      if (r.factor == factor) return r.load;
    return std::nan("");
  };
  EXPECT_NEAR(load_at(s.turns[0]), -900, 1e-3);
  EXPECT_NEAR(load_at(s.turns[1]), 0, 1e-3);
  EXPECT_NEAR(load_at(s.turns[2]), -450, 1e-3);
  EXPECT_GT(s.turns[1], 0.05);  // the remaining deformation
  bool has_half = false;
  for (const auto& r : s.curve) has_half = has_half || std::abs(r.load + 450) < 1e-3;
  EXPECT_TRUE(has_half);

  physics::failure_plan same = plan;
  same.load = 0;
  same.turns = s.turns;
  for (std::size_t n = 1; n < s.curve.size(); ++n) same.stops.push_back(s.curve[n].factor);
  const auto again = solved(p, same);
  ASSERT_EQ(again.curve.size(), s.curve.size());
  EXPECT_LT(physics::change_of_loads(s.curve, again.curve), 1e-8);
}

// Oracle: analytic solution. A bar with hardening H carries sy + Et (e - ey). The load of 2 sy is not reached at 20 times
// the elastic displacement for 2 sy.
TEST(failure, a_load_that_the_specimen_does_not_bear_ends_with_the_last_good_state) {
  const index3 shape{4, 2, 2};
  const model m = specimen(shape);
  const double displacement = -0.02 * 4, area = 4, tangent = modulus * 10 / (modulus + 10);
  physics::failure_plan plan = plan_of(yield, yield, 10, {1}, 0);
  plan.amount = displacement;
  plan.load = -2 * yield * area;
  const auto s = solved(make_problem(m, uniaxial(shape, displacement)), plan);
  EXPECT_NE(s.ended.find("the prescribed load of -640 was not reached"), std::string::npos) << s.ended;
  const physics::failure_record& last = s.curve.back();
  const double strain = 0.02 * last.factor;
  EXPECT_GE(strain, 20 * 2 * yield / modulus * (1 - 1e-9));
  EXPECT_NEAR(last.load, -area * (yield + tangent * (strain - yield / modulus)), 1e-6 * area * yield);
  EXPECT_LT(s.curve.size(), 30U);
  // A load below the capacity is found.
  plan.load = -1.01 * yield * area;
  const auto found = solved(make_problem(m, uniaxial(shape, displacement)), plan);
  ASSERT_EQ(found.ended, "");
  EXPECT_NEAR(0.02 * found.turns.front(), yield / modulus + 0.01 * yield / tangent, 1e-5);
}

// Oracle: the exact change. The change is zero for a body with a piecewise linear curve. For another body, the change
// decreases with the steps.
TEST(failure, half_the_steps_tell_the_error_of_the_steps) {
  const model m = specimen({3, 3, 3});
  double before = 0;
  for (const int steps : {3, 6}) {
    const auto p = make_problem(m, bonded(m.shape, -0.06));
    const physics::failure_plan plan = plan_of(yield, yield, hardening, {1, 0.8}, steps);
    const auto s = solved(p, plan, 1e-8);
    const physics::failure_plan fine = physics::halved(plan, s);
    const auto again = solved(p, fine, 1e-8);
    ASSERT_EQ(again.ended, "");
    EXPECT_GT(again.curve.size(), s.curve.size());
    const double change = physics::change_of_loads(s.curve, again.curve);
    EXPECT_GT(change, 1e-7);
    EXPECT_LT(change, 0.01);
    if (before > 0) {
      EXPECT_LT(change, before);
    }
    before = change;
    EXPECT_LT(again.proof.work_error, s.proof.work_error);
  }
}

physics::failure_plan damage_plan(double slope, double fracture, std::vector<double> turns, int steps) {
  physics::failure_plan plan = plan_of(50, 90, 0, std::move(turns), steps);
  const kernel::damage_law law{plan.surfaces[1], slope, fracture};
  plan.damage = {{}, law, law};
  return plan;
}

// Oracle: analytic solution. The slope is E up to the strength and p E beyond the strength. Unloading follows a straight
// line to the origin, and reloading follows this line back. The dissipated energy is the area between both lines, (1 - p) st
// (e - st / E) / 2.
TEST(failure, a_damaged_bar_follows_two_lines_and_unloads_to_the_origin) {
  const index3 shape{3, 2, 2};
  const model m = specimen(shape);
  for (const double sign : {-1.0, 1.0}) {
    const double displacement = sign * 0.02 * 3, strength = sign > 0 ? 50 : 90, p = 0.05;
    physics::failure_plan plan = damage_plan(p, std::numeric_limits<double>::infinity(), {1, 0.25, 1}, 5);
    plan.amount = displacement;
    const auto s = solved(make_problem(m, uniaxial(shape, displacement)), plan);
    ASSERT_EQ(s.ended, "");
    EXPECT_NEAR(s.first_yield * 0.02, strength / modulus, 1e-9);
    double top = 0;
    for (const physics::failure_record& r : s.curve) {
      const double strain = 0.02 * r.factor;
      top = std::max(top, strain);
      const double envelope = strength + p * (modulus * top - strength);
      const double stress = top <= strength / modulus ? modulus * strain : envelope * strain / top;
      EXPECT_NEAR(r.load, sign * 4 * stress, 1e-6 * 4 * strength) << strain;
      const double lost = (1 - p) * strength * std::max(0.0, top - strength / modulus) / 2;
      EXPECT_NEAR(r.dissipated_mJ, lost * 12, 1e-6 * strength * 0.02 * 12) << strain;
    }
    EXPECT_LT(s.proof.work_error, 1e-6);
    EXPECT_GE(s.proof.smallest_dissipation_MPa, 0);
    EXPECT_NEAR(s.curve.back().yielded, 1, 1e-12);
    const double kappa = 0.02 * modulus / strength;
    for (const float d : s.damage) EXPECT_NEAR(d, (1 - p) * (1 - 1 / kappa), 1e-6);
  }
}

// Oracle: analytic solution. The weaker of two bars next to each other breaks at its kappa. Afterwards, this bar has 1e-3 of
// its stiffness.
TEST(failure, a_bar_breaks_at_its_strain_of_fracture) {
  const index3 shape{3, 2, 5};
  model m = specimen(shape);
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 2; ++y) {
      m.at(z, y, 2) = 0;
      for (int x = 3; x < 5; ++x) m.at(z, y, x) = 2;
    }
  const double displacement = 0.02 * 3;
  physics::failure_plan plan = damage_plan(0, 2.1, {1}, 10);
  plan.damage[2].fracture = std::numeric_limits<double>::infinity();
  plan.amount = displacement;
  const support plates = [=](index3 node, const axis_value& fix) {
    uniaxial(shape, displacement)(node, fix);
    if (node.x == shape.x) fix(2, 0);
  };
  const auto s = solved(make_problem(m, plates), plan, 1e-8);
  ASSERT_EQ(s.ended, "");
  for (const physics::failure_record& r : s.curve) {
    const double strain = 0.02 * r.factor, bar = std::min(50.0, modulus * strain);
    const bool is_broken = modulus * strain > 2.1 * 50;
    EXPECT_NEAR(r.broken, is_broken ? 0.5 : 0, 1e-12) << strain;
    EXPECT_NEAR(r.load, 4 * bar + 4 * (is_broken ? kernel::stiffness_of_broken * modulus * strain : bar), 1e-5 * 400);
  }
  // The plates do not move while the bar breaks, so that the stored energy of the bar is dissipated.
  EXPECT_LT(s.proof.work_error, 1e-5);
}

// Oracle: the same porous block on one rank.
TEST(failure, damage_does_not_depend_on_ranks) {
  model m = porous(8);
  m.materials = {{}, {"bone", modulus, ratio}, {"other", modulus, ratio}};
  const double displacement = -0.015 * 8 * 0.9;
  const auto plan = damage_plan(0.05, 3, {1}, 3);
  const auto s = solved(make_problem(m, bonded(m.shape, displacement)), plan, 1e-9);
  const auto alone = solved(make_problem(m, bonded(m.shape, displacement), MPI_COMM_SELF), plan, 1e-9);
  ASSERT_EQ(s.ended, "");
  ASSERT_EQ(s.curve.size(), alone.curve.size());
  EXPECT_GT(s.curve.back().yielded, 0.1);
  for (std::size_t n = 0; n < s.curve.size(); ++n) {
    EXPECT_NEAR(s.curve[n].load, alone.curve[n].load, 1e-8 * std::abs(alone.curve.back().load));
    EXPECT_EQ(s.curve[n].broken, alone.curve[n].broken);
  }
}

// Oracle: the requirements of a path.
TEST(failure, refuses_a_path_that_goes_nowhere) {
  const model m = specimen({3, 2, 2});
  const auto p = make_problem(m, bonded(m.shape, -0.01));
  EXPECT_THROW(solved(p, plan_of(yield, yield, 0, {}, 1)), usage_error);
  EXPECT_THROW(solved(p, plan_of(yield, yield, 0, {1, 1}, 1)), usage_error);
  EXPECT_THROW(solved(p, plan_of(yield, yield, -1, {1}, 1)), usage_error);
}

}  // namespace failure_test
