#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <osteon/kernel/rays/ray_surface.hpp>
#include <osteon/kernel/rays/surface_light.hpp>
#include <random>

namespace ray_surface_test {

using namespace osteon;

const vector3 spacing{0.5, 1.0, 0.8};
const index3 domain{64, 32, 40};  // a cube of 32 mm
constexpr double radius = 11;

// Radius minus the distance from the centre of the cube, in mm.
std::vector<float> ball() {
  std::vector<float> values;
  for (std::int64_t z = 0; z < domain.z; ++z)
    for (std::int64_t y = 0; y < domain.y; ++y)
      for (std::int64_t x = 0; x < domain.x; ++x)
        values.push_back(static_cast<float>(radius - std::hypot((static_cast<double>(z) + 0.5) * spacing.z - 16,
                                                                (static_cast<double>(y) + 0.5) * spacing.y - 16,
                                                                (static_cast<double>(x) + 0.5) * spacing.x - 16)));
  return values;
}

kernel::ray_surface surface_of(const std::vector<float>& values, float level = 0) {
  return {domain, spacing, {{}, domain}, {{}, domain}, 0.7, values.data(), level};
}

// A ray from a point in mm, converted to voxels. The ray ends at `length`.
kernel::ray ray_from(const vector3& origin, const vector3& toward, double length) {
  kernel::ray r;
  for (int axis = 0; axis < 3; ++axis) {
    r.origin[axis] = origin[axis] / spacing[axis];
    r.direction[axis] = toward[axis] / spacing[axis];
  }
  r.exit = length;
  return r;
}

// Oracle: the intersection of a line with a sphere, and the normal of the sphere at the intersection. Between voxels, the
// distance from the centre is interpolated. The error is h^2 / 8 times the second derivative of the distance, 2 / radius.
TEST(ray_surface, meets_a_sphere_at_the_exact_position) {
  const auto values = ball();
  const auto surface = surface_of(values);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  std::int64_t samples = 0;
  int met = 0;
  for (int i = 0; i < 300; ++i) {
    vector3 outward{normal(random), normal(random), normal(random)}, toward;
    const double length = std::hypot(outward.z, outward.y, outward.x);
    vector3 origin;
    for (int axis = 0; axis < 3; ++axis) {
      outward[axis] /= length;
      origin[axis] = 16 + 14.9 * outward[axis];
      toward[axis] = -outward[axis] + 0.8 * (uniform(random) - 0.5);
    }
    const double speed = std::hypot(toward.z, toward.y, toward.x);
    double along = 0;  // distance from the origin of the ray to the point nearest to the centre
    for (int axis = 0; axis < 3; ++axis) along -= 14.9 * outward[axis] * (toward[axis] /= speed);
    const double missed = std::sqrt(14.9 * 14.9 - along * along);

    const auto hit = surface.first(ray_from(origin, toward, 40), samples);

    if (missed > radius + 0.02) {
      EXPECT_FALSE(hit) << i;
    }
    if (missed > 0.95 * radius) continue;
    ASSERT_TRUE(hit && !hit->cut) << i;
    ++met;
    const double t = along - std::sqrt(radius * radius - missed * missed);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(hit->point[axis] * spacing[axis], origin[axis] + t * toward[axis], 0.08) << i;
      EXPECT_NEAR(hit->normal[axis], (hit->point[axis] * spacing[axis] - 16) / radius, 0.01) << i;
    }
    EXPECT_NEAR(surface.interpolate(values.data(), hit->point, 0), 0, 1e-5) << i;
  }
  EXPECT_GT(met, 200);
  EXPECT_LT(samples, 300 * 60);  // without skipping, 57 samples per ray from its origin to its end
}

// Oracle: each ray separately. The results must be bitwise equal. Neighbours in a packet end at different places or miss the
// solid.
TEST(ray_surface, of_four_rays_is_that_of_each) {
  const auto values = ball();
  const auto surface = surface_of(values);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> anywhere(1, 31);
  for (int i = 0; i < 100; ++i) {
    std::vector<kernel::ray> rays;
    for (int k = 0; k < 4; ++k) {
      const vector3 from{0.2, anywhere(random), anywhere(random)}, to{31, anywhere(random), anywhere(random)};
      rays.push_back(ray_from(from, kernel::unit({to.z - from.z, to.y - from.y, to.x - from.x}), k == 3 ? 9 : 30));
    }
    std::optional<kernel::ray_surface::hit> together[4];
    std::int64_t of_four = 0, of_each = 0;
    surface.first({&rays[0], &rays[1], &rays[2], &rays[3]}, together, of_four);
    for (std::size_t k = 0; k < 4; ++k) {
      const auto alone = surface.first(rays[k], of_each);
      ASSERT_EQ(alone.has_value(), together[k].has_value());
      if (!alone) continue;
      EXPECT_EQ(alone->point, together[k]->point);
      EXPECT_EQ(alone->normal, together[k]->normal);
      EXPECT_EQ(alone->cut, together[k]->cut);
    }
    EXPECT_EQ(of_four, of_each);
  }
}

// Oracle: determined by hand. A ray that begins inside the solid meets the cut at its entry. A ray that begins in a cavity
// meets the next wall.
TEST(ray_surface, is_cut_where_a_ray_begins_inside) {
  auto values = ball();
  const auto ball_surface = surface_of(values);
  std::int64_t samples = 0;
  const kernel::ray from_middle = ray_from({16, 16, 16}, {0, 0, 1}, 15);
  const auto cut = ball_surface.first(from_middle, samples);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->cut);
  EXPECT_EQ(cut->point, from_middle.origin);
  for (float& v : values) v = -v;
  const auto wall = surface_of(values).first(from_middle, samples);
  ASSERT_TRUE(wall && !wall->cut);
  EXPECT_NEAR(wall->point.x * spacing.x, 16 + radius, 0.02);
  EXPECT_NEAR(wall->normal.x, -1, 1e-3);
}

// Oracle: determined by hand. Next to voxels without a value, the surface ends at half of the weights.
TEST(ray_surface, ends_where_there_is_no_value) {
  std::vector<float> values(static_cast<std::size_t>(domain.volume()), 5);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (static_cast<std::int64_t>(i) % domain.x < 20) values[i] = std::numeric_limits<float>::quiet_NaN();
  std::int64_t samples = 0;
  const auto hit = surface_of(values).first(ray_from({16, 16, 0.1}, {0, 0, 1}, 31), samples);
  ASSERT_TRUE(hit && !hit->cut);
  EXPECT_NEAR(hit->point.x, 20, 1e-5);
  EXPECT_NEAR(hit->normal.x, -1, 1e-6);
}

}  // namespace ray_surface_test
