#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <osteon/kernel/rays/solid_pyramid.hpp>
#include <osteon/kernel/rays/surface_light.hpp>

namespace solid_pyramid_test {

using namespace osteon;

const index3 cells{48, 64, 64};
const vector3 edge{0.5, 0.5, 0.5};  // mm
constexpr double far_away = 100;

// Shares of solid where `is_solid` is true, sampled in 4^3 points of each cell.
kernel::solid_pyramid pyramid_of(const std::function<bool(const vector3&)>& is_solid) {
  std::vector<std::uint8_t> share;
  constexpr int fine = 4;
  for (std::int64_t z = 0; z < cells.z; ++z)
    for (std::int64_t y = 0; y < cells.y; ++y)
      for (std::int64_t x = 0; x < cells.x; ++x) {
        int count = 0;
        for (int k = 0; k < fine * fine * fine; ++k) {
          const auto at = [&](std::int64_t i, int part) { return 0.5 * (static_cast<double>(i) + (part + 0.5) / fine); };
          count += is_solid({at(z, k / 16), at(y, k / 4 % 4), at(x, k % 4)}) ? 1 : 0;
        }
        share.push_back(static_cast<std::uint8_t>(std::lround(255.0 * count / (fine * fine * fine))));
      }
  return {cells, edge, share};
}

// Oracle: a plane hides nothing of its own sky, and nothing of a lamp above it; whatever its slope and place in the cells.
TEST(solid_pyramid, leaves_planes_in_full_light) {
  for (const vector3& direction : {vector3{1, 0, 0}, {1, 0.1, 0.03}, {1, 0.5, -0.3}, {1, 1, 1}})
    for (const double height : {0.0, 0.13, 0.31}) {
      const vector3 normal = kernel::unit(direction), middle{8 + height, 16, 16};
      const auto above = [&](const vector3& p) {
        return kernel::dot(normal, {p.z - middle.z, p.y - middle.y, p.x - middle.x});
      };
      const auto solid = pyramid_of([&](const vector3& p) { return above(p) < 0; });
      EXPECT_GT(solid.sky(middle, normal, far_away), 0.93) << direction.y << ' ' << height;
      for (const double slope : {0.0, 1.0, 2.0})  // the lamp at 90, 45 and 27 degrees above
        EXPECT_GT(solid.lamp(middle, normal, kernel::unit({normal.z, normal.y + slope * normal.z, normal.x})), 0.85)
            << direction.y << ' ' << height << ' ' << slope;
    }
}

// Oracle: on the middle line of the bottom of a long trench one sees the sine of half its opening of the sky; in an edge
// between a floor and an endless wall half of it. Cones see walls blurred, and more of one that they go along.
TEST(solid_pyramid, darkens_a_trench_as_its_walls_stand) {
  const vector3 up{1, 0, 0};
  double last = 1;
  for (const double depth : {2.0, 4.0, 8.0}) {
    constexpr double width = 6, floor = 4;
    const auto solid =
        pyramid_of([&](const vector3& p) { return p.z < floor || (p.z < floor + depth && std::abs(p.y - 16) > width / 2); });
    const double expected = std::sin(std::atan(width / 2 / depth)), found = solid.sky({floor, 16, 16}, up, far_away);
    EXPECT_NEAR(found, expected, 0.13) << depth;
    EXPECT_LT(found, last - 0.1);
    last = found;
    EXPECT_GT(solid.sky({floor + depth, 5, 16}, up, far_away), 0.93);
  }
  const auto step = pyramid_of([](const vector3& p) { return p.z < 4 || p.y < 10; });
  EXPECT_NEAR(step.sky({4, 10.01, 16}, up, far_away), 0.4, 0.15);
  EXPECT_GT(step.sky({4, 10.01, 16}, up, 0.4), 0.93);  // what is out of reach
}

// Oracle: a roof with a straight edge over a floor, the lamp at 45 degrees: nothing of it is seen in the roof's shadow, all
// of it beside, half of it where the shadow's edge falls, to some cells; the shadow has no hard edge.
TEST(solid_pyramid, casts_a_soft_shadow) {
  constexpr double floor = 2, roof = 8, end = 20;
  const auto solid =
      pyramid_of([](const vector3& p) { return p.z < floor || (p.z > roof && p.z < roof + 2 && p.y < end && p.y > 6); });
  const vector3 up{1, 0, 0}, lamp = kernel::unit({1, -1, 0});
  const auto seen = [&](double y) { return solid.lamp({floor, y, 16}, up, lamp); };
  const double edge_at = end + roof - floor;  // of the roof's lower face
  EXPECT_LT(seen(edge_at - 5), 0.05);
  EXPECT_GT(seen(edge_at + 4), 0.9);
  double half = 0, last = 0, steepest = 0;
  for (double y = edge_at - 5; y < edge_at + 4; y += 0.05) {
    if (seen(y) < 0.5) half = y;
    steepest = std::max(steepest, seen(y) - last);
    last = seen(y);
  }
  EXPECT_NEAR(half, edge_at, 2);
  EXPECT_LT(steepest, 0.1);
  EXPECT_EQ(solid.lamp({floor, 30, 16}, up, {-1, 0, 0}), 0);  // from below
}

// Oracle: the same solid without what is cut away.
TEST(solid_pyramid, does_not_see_what_is_cut_away) {
  const vector3 up{1, 0, 0};
  const auto walled = pyramid_of([](const vector3& p) { return p.z < 4 || p.y < 10; });
  const kernel::half_space cut{up, 4};
  EXPECT_LT(walled.sky({4, 12, 16}, up, far_away), 0.8);
  EXPECT_GT(walled.sky({4, 12, 16}, up, far_away, std::span(&cut, 1)), 0.93);
  EXPECT_GT(walled.lamp({4, 12, 16}, up, kernel::unit({1, -1, 0}), std::span(&cut, 1)), 0.9);
  EXPECT_LT(walled.lamp({4, 12, 16}, up, kernel::unit({1, -1, 0})), 0.1);
  EXPECT_LT(walled.bytes(), 1.32 * 48 * 64 * 64);  // with the empty cells around, which count for more in small pyramids
}

// Oracle: a material that gives back nothing is as dark as its sky; a white crevice is lighter, and full light is full
// light.
TEST(sky_light, is_lighter_between_light_walls) {
  EXPECT_NEAR(kernel::sky_light(0.4, 0.1), 0.4, 0.06);
  EXPECT_GT(kernel::sky_light(0.4, 0.9), 0.55);
  for (const double albedo : {0.0, 0.3, 0.8}) {
    EXPECT_NEAR(kernel::sky_light(1, albedo), 1, 0.01);
    EXPECT_EQ(kernel::sky_light(0, albedo), 0);
  }
}

}  // namespace solid_pyramid_test
