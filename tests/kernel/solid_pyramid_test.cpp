#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <osteon/kernel/rays/solid_pyramid.hpp>
#include <osteon/kernel/rays/surface_light.hpp>
#include <random>
#include <vector>

namespace solid_pyramid_test {

using namespace osteon;

const index3 cells{48, 64, 64};
const vector3 edge{0.5, 0.5, 0.5};  // edge lengths in mm
constexpr double far_away = 100;

// Solid fractions for `is_solid`, sampled at 4^3 points of each cell.
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

// Oracle: a plane occludes neither its own sky nor a lamp above it. The test uses several slopes and positions in the cells.
TEST(solid_pyramid, leaves_planes_in_full_light) {
  for (const vector3& direction : {vector3{1, 0, 0}, {1, 0.1, 0.03}, {1, 0.5, -0.3}, {1, 1, 1}})
    for (const double height : {0.0, 0.13, 0.31}) {
      const vector3 normal = kernel::unit(direction), middle{8 + height, 16, 16};
      const auto above = [&](const vector3& p) {
        return kernel::dot(normal, {p.z - middle.z, p.y - middle.y, p.x - middle.x});
      };
      const auto solid = pyramid_of([&](const vector3& p) { return above(p) < 0; });
      EXPECT_GT(solid.sky(middle, normal, far_away), 0.93) << direction.y << ' ' << height;
      for (const double slope : {0.0, 1.0, 2.0})  // the lamp is 90, 45 and 27 degrees above the horizon
        EXPECT_GT(solid.lamp(middle, normal, kernel::unit({normal.z, normal.y + slope * normal.z, normal.x})), 0.85)
            << direction.y << ' ' << height << ' ' << slope;
    }
}

// Oracle: on the centre line of the bottom of a long trench, the visible sky is the sine of half the opening of the trench.
// In an edge between a floor and an infinite wall, half of the sky is visible. The walls that the cones sample are blurred.
// A wall parallel to a cone therefore hides too much of the sky.
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
  EXPECT_GT(step.sky({4, 10.01, 16}, up, 0.4), 0.93);  // distant cells have no effect
}

// Oracle: a roof with a straight edge is above a floor, and the lamp is at 45 degrees. The lamp is invisible in the shadow
// of the roof, fully visible outside, and half visible at the edge of the shadow. The shadow has no hard edge.
TEST(solid_pyramid, casts_a_soft_shadow) {
  constexpr double floor = 2, roof = 8, end = 20;
  const auto solid =
      pyramid_of([](const vector3& p) { return p.z < floor || (p.z > roof && p.z < roof + 2 && p.y < end && p.y > 6); });
  const vector3 up{1, 0, 0}, lamp = kernel::unit({1, -1, 0});
  const auto seen = [&](double y) { return solid.lamp({floor, y, 16}, up, lamp); };
  const double edge_at = end + roof - floor;  // edge of the roof's lower face
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
  EXPECT_EQ(solid.lamp({floor, 30, 16}, up, {-1, 0, 0}), 0);  // seen from below
}

// Oracle: the solid without the removed part.
TEST(solid_pyramid, ignores_removed_parts) {
  const vector3 up{1, 0, 0};
  const auto walled = pyramid_of([](const vector3& p) { return p.z < 4 || p.y < 10; });
  const kernel::half_space cut{up, 4};
  EXPECT_LT(walled.sky({4, 12, 16}, up, far_away), 0.8);
  EXPECT_GT(walled.sky({4, 12, 16}, up, far_away, std::span(&cut, 1)), 0.93);
  EXPECT_GT(walled.lamp({4, 12, 16}, up, kernel::unit({1, -1, 0}), std::span(&cut, 1)), 0.9);
  EXPECT_LT(walled.lamp({4, 12, 16}, up, kernel::unit({1, -1, 0})), 0.1);
  EXPECT_LT(walled.bytes(),
            // one word per cell; in small pyramids, the empty cells around the solid need relatively much memory
            4 * 1.32 * 48 * 64 * 64);
}

// Oracle: a material without reflection is as dark as its sky. A white crevice is lighter. Full light remains full light.
TEST(sky_light, is_lighter_between_light_walls) {
  EXPECT_NEAR(kernel::sky_light(0.4, 0.1), 0.4, 0.06);
  EXPECT_GT(kernel::sky_light(0.4, 0.9), 0.55);
  for (const double albedo : {0.0, 0.3, 0.8}) {
    EXPECT_NEAR(kernel::sky_light(1, albedo), 1, 0.01);
    EXPECT_EQ(kernel::sky_light(0, albedo), 0);
  }
}

// The cells of all levels and the interpolation between cells, in double precision. This class is the oracle of the
// vectorised functions.
class plain_pyramid {
 public:
  plain_pyramid(index3 n, const std::vector<std::uint8_t>& share) : shapes_{n}, blocks_{{share.begin(), share.end()}} {
    while (std::max({shapes_.back().z, shapes_.back().y, shapes_.back().x}) > 1) {
      const int below = levels() - 1;
      const index3 s{(shapes_.back().z + 1) / 2, (shapes_.back().y + 1) / 2, (shapes_.back().x + 1) / 2};
      std::vector<int> next;
      for (std::int64_t z = 0; z < s.z; ++z)
        for (std::int64_t y = 0; y < s.y; ++y)
          for (std::int64_t x = 0; x < s.x; ++x) {
            double sum = 0;
            for (int k = 0; k < 8; ++k) sum += block(2 * z + (k >> 2), 2 * y + (k >> 1 & 1), 2 * x + (k & 1), below);
            next.push_back(static_cast<int>(sum + 4) / 8);
          }
      blocks_.push_back(std::move(next));
      shapes_.push_back(s);
    }
  }

  int levels() const { return static_cast<int>(shapes_.size()); }

  // Trilinear interpolation between the centres of blocks with edges of `size`.
  double share(const vector3& at, int level, double size) const {
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double part = 1;
      std::int64_t where[3];
      for (int axis = 0; axis < 3; ++axis) {
        const double place = at[axis] / size - 0.5, low = std::floor(place), upper = place - low;
        const bool second = (corner >> axis & 1) != 0;
        part *= second ? upper : 1 - upper;
        where[axis] = static_cast<std::int64_t>(low) + (second ? 1 : 0);
      }
      sum += part * block(where[0], where[1], where[2], level) / 255;
    }
    return sum;
  }

 private:
  double block(std::int64_t z, std::int64_t y, std::int64_t x, int level) const {
    const auto l = static_cast<std::size_t>(level);
    const index3& s = shapes_[l];
    if (z < 0 || y < 0 || x < 0 || z >= s.z || y >= s.y || x >= s.x) return 0;
    return blocks_[l][static_cast<std::size_t>((z * s.y + y) * s.x + x)];
  }

  std::vector<index3> shapes_;
  std::vector<std::vector<int>> blocks_;
};

// Occlusion by a sample. The centre of the sample is `height` edges above the plane through the point.
double plainly_blocked(double share, double height, double noise) {
  const double behind =
      (height < 0.5 ? 0.5 + height * (height * height / 3 - 0.75) : std::pow(std::max(1.5 - height, 0.0), 3) / 6) + noise;
  return std::clamp(1.7 * (share - behind) / (1 - behind), 0.0, 1.0);
}

vector3 on_way(const vector3& from, double t, const vector3& d) {
  return {from.z + t * d.z, from.y + t * d.y, from.x + t * d.x};
}

// The visible fraction of the sky by its definition, cone by cone.
double plain_sky(const plain_pyramid& solid, const vector3& point, const vector3& normal, double reach) {
  constexpr double width = 0.97, a = 0.5773502691896258, b = 0.9341723589627157, c = 0.3568220897730899;
  std::vector<vector3> directions;
  for (const double s : {1.0, -1.0})
    for (const double t : {1.0, -1.0}) {
      for (const double u : {1.0, -1.0}) directions.push_back({s * a, t * a, u * a});
      directions.push_back({0, s * b, t * c});
      directions.push_back({s * b, t * c, 0});
      directions.push_back({s * c, 0, t * b});
    }
  double seen = 0, all = 0;
  for (const vector3& d : directions) {
    const double facing = kernel::dot(d, normal), weight = facing - 0.1;
    if (weight <= 0) continue;
    double blocked = 0;
    for (int level = 0; level < solid.levels(); ++level) {
      const double size = 0.5 * std::exp2(level), t = size / width, near = t / reach;
      if (t >= reach) break;
      const double share = solid.share(on_way(point, t, d), level, size);
      blocked = std::max(blocked, (1 - near * near) * plainly_blocked(share, facing / width, 0.04));
    }
    seen += weight * (1 - blocked);
    all += weight;
  }
  return seen / all;
}

// The visible fraction of the lamp. Each sample on the line to the lamp is as large as the width of the cone.
double plain_lamp(const plain_pyramid& solid, const vector3& point, const vector3& normal, const vector3& toward) {
  const double facing = kernel::dot(toward, normal);
  if (facing <= 0) return 0;
  double through = 1, t = 0.5;
  for (int level = 0; level < solid.levels();) {
    const double size = 0.5 * std::exp2(level);
    through *= 1 - plainly_blocked(solid.share(on_way(point, t, toward), level, size), t * facing / size, 0.1);
    t += size;
    while (level < solid.levels() && t * 0.14 > 0.5 * std::exp2(level)) ++level;
  }
  return through < 0.02 ? 0 : through;
}

// Oracle: plain_sky and plain_lamp over random cells, at random points inside and outside of the cells.
TEST(solid_pyramid, agrees_with_the_plain_sum_over_cones) {
  const index3 n{12, 20, 16};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> one(0, 1);
  std::vector<std::uint8_t> share(static_cast<std::size_t>(n.volume()));
  for (auto& s : share) s = one(random) < 0.4 ? static_cast<std::uint8_t>(255 * one(random)) : 0;
  const kernel::solid_pyramid solid(n, edge, share);
  const plain_pyramid plain(n, share);
  int between = 0;
  for (int i = 0; i < 300; ++i) {
    const vector3 point{-2 + 10 * one(random), -2 + 14 * one(random), -2 + 12 * one(random)};
    const vector3 normal = kernel::unit({one(random) - 0.5, one(random) - 0.5, one(random) - 0.5});
    const vector3 toward = kernel::unit({one(random) - 0.5, one(random) - 0.5, one(random) - 0.5});
    const double reach = i % 2 == 0 ? far_away : 3;
    EXPECT_NEAR(solid.sky(point, normal, reach), plain_sky(plain, point, normal, reach), 2e-5);
    const double lamp = plain_lamp(plain, point, normal, toward);
    EXPECT_NEAR(solid.lamp(point, normal, toward), lamp, 2e-5);
    between += lamp > 0.05 && lamp < 0.95 ? 1 : 0;
  }
  EXPECT_GT(between, 20);
}

}  // namespace solid_pyramid_test
