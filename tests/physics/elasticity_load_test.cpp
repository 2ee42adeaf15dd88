#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <support/message_of.hpp>

#include "elastic_model.hpp"

namespace elasticity_load_test {

using namespace osteon;
using namespace osteon::elastic_model;

constexpr index3 shape{12, 4, 4};
constexpr vector3 spacing{0.5, 1.0, 1.5};

/// A bar without lateral contraction, clamped at its low end.
struct bar {
  model m = solid(shape, spacing);
  numerics::elasticity_problem problem;
  bar() {
    m.materials[1] = {"bar", 100.0, 0.0};
    problem = make_problem(m, [](index3 node, const axis_value& fix) {
      for (int c = 0; c < 3 && node.z == 0; ++c) fix(c, 0.0);
    });
  }
  /// A traction of 1 N/mm2 along `direction` on the high face, as the load of each node.
  physics::elasticity_load pulled(int direction) const {
    physics::elasticity_load load;
    for (const voxel::run& r : problem.nodes.runs())
      for (std::int32_t i = 0; i < r.length; ++i) {
        if (problem.where.owned.begin.z + r.z != shape.z) continue;
        const bool edge_y = r.y == 0 || r.y == shape.y, edge_x = r.x + i == 0 || r.x + i == shape.x;
        vector3 force{};
        force[direction] = spacing.y * spacing.x * (edge_y ? 0.5 : 1) * (edge_x ? 0.5 : 1);
        load.forces.push_back({r.first + i, force});
      }
    return load;
  }
};

// Oracle: Hooke's law, u = sigma z / E. The residual at the free faces is zero.
TEST(ElasticLoad, APulledBarStretchesByHooksLaw) {
  const bar b;
  physics::elasticity_solver solver(b.problem, {1e-11, 500}, null_log());
  const auto s = solver.solve(b.pulled(0));
  ASSERT_TRUE(s.certificate.converged);
  for (const voxel::run& r : b.problem.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const auto at = static_cast<std::size_t>(3 * (r.first + i));
      const double z = static_cast<double>(b.problem.where.owned.begin.z + r.z) * spacing.z;
      EXPECT_NEAR(s.displacement_mm[at], z / 100.0, 1e-10);
      EXPECT_NEAR(s.displacement_mm[at + 1], 0, 1e-10);
      if (z > 0) {
        EXPECT_NEAR(s.reaction_N[at], 0, 1e-9);
      }
    }
  EXPECT_LT(s.certificate.reaction_imbalance, 1e-9);
  EXPECT_LT(s.certificate.moment_imbalance, 1e-9);
  EXPECT_LT(s.certificate.energy_identity_error, 1e-9);
}

// Invariant: forces and moments are in equilibrium. A reused solver yields the result of a new solver.
TEST(ElasticLoad, LoadCasesShareASetupAndNothingElse) {
  const bar b;
  physics::elasticity_solver shared(b.problem, {1e-10, 500}, null_log());
  for (const int direction : {1, 0, 2}) {
    const auto again = shared.solve(b.pulled(direction));
    const auto fresh = physics::elasticity_solver(b.problem, {1e-10, 500}, null_log()).solve_last(b.pulled(direction));
    EXPECT_EQ(again.certificate.iterations, fresh.certificate.iterations);
    EXPECT_EQ(again.displacement_mm, fresh.displacement_mm);
    EXPECT_EQ(again.reaction_N, fresh.reaction_N);
    EXPECT_LT(again.certificate.reaction_imbalance, 1e-8);
    EXPECT_LT(again.certificate.moment_imbalance, 1e-8);
  }
}

// Invariant: the problem is linear.
TEST(ElasticLoad, DisplacementsAndForcesSuperpose) {
  const bar b;
  physics::elasticity_solver solver(b.problem, {1e-11, 500}, null_log());
  auto both = b.pulled(1);
  both.prescribed_mm.assign(b.problem.fixed.size(), 0.0);
  for (std::size_t i = 0; i < both.prescribed_mm.size(); ++i)
    if (b.problem.fixed[i].direction == axis::z) both.prescribed_mm[i] = 0.01;
  auto moved = both;
  moved.forces.clear();
  const auto sum = solver.solve(both), first = solver.solve(moved), second = solver.solve(b.pulled(1));
  for (std::size_t i = 0; i < sum.displacement_mm.size(); ++i)
    EXPECT_NEAR(sum.displacement_mm[i], first.displacement_mm[i] + second.displacement_mm[i], 1e-8);
}

// Oracle: the message on all ranks states the inconsistent numbers.
TEST(ElasticLoad, TheMessageOfWhatCannotBeAppliedNamesTheNumberOrTheNode) {
  const bar b;
  physics::elasticity_solver solver(b.problem, {1e-8, 500}, null_log());
  const auto applied = [&](const physics::elasticity_load& load) { return [&solver, load] { solver.solve(load); }; };
  EXPECT_TRUE(message_of<usage_error>(applied({.prescribed_mm = {1.0}, .forces = {}})).starts_with("load: 1 values for "));
  EXPECT_TRUE(message_of<usage_error>(applied({.prescribed_mm = {}, .forces = {{-1, {}}}}))
                  .starts_with("force at node -1: the model has "));
  EXPECT_TRUE(message_of<data_error>(applied({.prescribed_mm = {}, .forces = {{0, {NAN, 0, 0}}}}))
                  .starts_with("force at node 0: nan N along z"));
}

}  // namespace elasticity_load_test
