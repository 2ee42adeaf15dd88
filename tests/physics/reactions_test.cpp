#include <gtest/gtest.h>

#include <osteon/physics/elasticity/solver/reactions.hpp>

#include "random_solid.hpp"

namespace reactions_test {

using namespace osteon;

constexpr index3 shape{8, 7, 6};
constexpr vector3 spacing{0.4, 0.5, 0.7};

std::vector<std::int32_t> nodes_of_plane(const numerics::elasticity_problem& p, std::int64_t z) {
  std::vector<std::int32_t> nodes;
  random_solid::for_each_node(p, [&](std::int32_t node, index3 at) {
    if (at.z == z) nodes.push_back(node);
  });
  return nodes;
}

// Oracle: analytic solution. A bar under uniform stress has the reaction E strain A at the centre of its cross-section.
TEST(resultant, of_a_stretched_bar_acts_at_its_middle) {
  auto p = random_solid::make(shape, spacing, 1);
  std::fill(p.material.begin(), p.material.end(), material_number{1});
  const double strain = 0.01, height = 8 * 0.4, depth = 7 * 0.5, width = 6 * 0.7;
  random_solid::for_each_node(p, [&](std::int32_t node, index3 at) {
    if (at.z == 0) p.fixed.push_back({node, axis::z, 0});
    if (at.z == shape.z) p.fixed.push_back({node, axis::z, strain * height});
    if (at.y == 0) p.fixed.push_back({node, axis::y, 0});
    if (at.x == 0) p.fixed.push_back({node, axis::x, 0});
  });
  const auto solution = physics::solve_elasticity(p, {1e-10, 500}, null_log());
  const auto top = nodes_of_plane(p, shape.z);
  const double force = random_solid::materials[1].youngs_modulus_MPa * strain * depth * width;

  const physics::wrench middle = physics::resultant(p, solution, top);
  EXPECT_EQ(middle.nodes, 8 * 7);
  EXPECT_NEAR(middle.about_mm.z, height, 1e-12);
  EXPECT_NEAR(middle.about_mm.y, depth / 2, 1e-12);
  EXPECT_NEAR(middle.about_mm.x, width / 2, 1e-12);
  EXPECT_NEAR(middle.force_N.z, force, 1e-8 * force);
  const physics::wrench corner = physics::resultant(p, solution, top, vector3{0, 0, 0});
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(middle.moment_N_mm[c], 0, 1e-8 * force) << c;
  EXPECT_NEAR(corner.moment_N_mm.x, force * depth / 2, 1e-8 * force);
  EXPECT_NEAR(corner.moment_N_mm.y, -force * width / 2, 1e-8 * force);
  EXPECT_NEAR(corner.moment_N_mm.z, 0, 1e-8 * force);
}

// Invariant: the whole body is in equilibrium about any point. Shared nodes are counted once.
TEST(resultant, of_all_nodes_vanishes) {
  auto p = random_solid::make(shape, spacing, 0.8);
  random_solid::for_each_node(p, [&](std::int32_t node, index3 at) {
    if (at.z != 0 && at.z != shape.z) return;
    for (int c = 0; c < 3; ++c)
      p.fixed.push_back({node, static_cast<axis>(c), 0.01 * std::sin(static_cast<double>(3 * at.x + 5 * at.y + at.z + c))});
  });
  const auto solution = physics::solve_elasticity(p, {1e-3, 500}, null_log());
  std::vector<std::int32_t> all(static_cast<std::size_t>(p.nodes.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
  const physics::wrench low = physics::resultant(p, solution, nodes_of_plane(p, 0));
  const double scale = std::abs(low.force_N.z) + std::abs(low.force_N.y) + std::abs(low.force_N.x);
  EXPECT_GT(scale, 1e-6);
  for (const vector3& about : {vector3{0, 0, 0}, vector3{5, -3, 40}}) {
    const physics::wrench sum = physics::resultant(p, solution, all, about);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(sum.force_N[c], 0, 1e-11 * scale) << c;
      EXPECT_NEAR(sum.moment_N_mm[c], 0, 1e-10 * scale) << c;
    }
  }
}

TEST(resultant, of_no_nodes_is_nothing) {
  const auto p = random_solid::make(shape, spacing, 1);
  const physics::wrench nothing = physics::resultant(p, {}, {});
  EXPECT_EQ(nothing.nodes, 0);
  EXPECT_EQ(nothing.force_N, vector3{});
}

}  // namespace reactions_test
