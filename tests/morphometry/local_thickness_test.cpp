#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/morphometry/distance_map.hpp>
#include <osteon/morphometry/local_thickness.hpp>

#include "phases.hpp"

namespace local_thickness_test {

using namespace osteon;

std::vector<float> measured(const grid::block& where, const std::vector<float>& all, const vector3& h) {
  return morphometry::local_thickness(where, morphometry::distance_map(where, sample::part_of(where, all), h), h);
}

// The definition, ball by ball.
std::vector<float> plain(index3 domain, const std::vector<float>& squared, const vector3& h) {
  std::vector<float> radii(squared.size(), 0.0F);
  for (std::int64_t z = 0; z < domain.z; ++z)
    for (std::int64_t y = 0; y < domain.y; ++y)
      for (std::int64_t x = 0; x < domain.x; ++x)
        for (std::int64_t c = 0; c < domain.z; ++c)
          for (std::int64_t b = 0; b < domain.y; ++b)
            for (std::int64_t a = 0; a < domain.x; ++a) {
              const float ball = squared[sample::place(domain, c, b, a)];
              const double dz = h.z / h.x * static_cast<double>(z - c), dy = h.y / h.x * static_cast<double>(y - b);
              const auto dx = static_cast<double>(x - a);
              float& r = radii[sample::place(domain, z, y, x)];
              if (dx * dx < static_cast<double>(ball) - dz * dz - dy * dy) r = std::max(r, ball);
            }
  return radii;
}

// Oracle: every ball around every voxel, drawn one by one. The comparison proves that the omitted balls are not needed.
TEST(local_thickness, is_that_of_all_balls) {
  const index3 domain{16, 13, 18};
  const std::vector<float> blobs = sample::phase(domain, [](double z, double y, double x) {
    return std::sin(0.7 * z) + std::sin(0.9 * y + 1) + std::sin(0.6 * x + 2) > 0.2 || (std::abs(y - 6) < 1 && x < 9);
  });
  const grid::block alone = grid::make_block(MPI_COMM_SELF, domain, std::vector<std::int64_t>(16, 1));
  for (const vector3& h : {vector3{1, 1, 1}, vector3{1.5, 1, 0.8}})
    for (const std::vector<float>& all : {blobs, sample::by_chance(domain, 0.9, 7)}) {
      const std::vector<float> expected = plain(domain, morphometry::distance_map(alone, all, h), h);
      for (const grid::block& where : sample::decompositions(domain))
        ASSERT_EQ(measured(where, all, h), sample::part_of(where, expected)) << h.z;
    }
}

// Oracle: closed forms, to the voxel of the definition. A plate of 5 voxels has balls of radius 3, and a plate of 4 voxels
// has balls of radius 2. A ball has its own diameter minus a voxel, because its centre is not the centre of a voxel.
TEST(local_thickness, of_plates_and_a_ball) {
  const index3 domain{24, 24, 24};
  const vector3 h{0.1, 0.1, 0.1};
  const auto mean_of = [&](const std::function<bool(double, double, double)>& is_solid) {
    const grid::block where = sample::decompositions(domain).back();
    return morphometry::statistics_of(where, measured(where, sample::phase(domain, is_solid), h), h);
  };
  const auto five = mean_of([](double z, double, double) { return z > 8 && z < 13; });
  EXPECT_NEAR(five.mean, 0.6, 1e-6);
  EXPECT_NEAR(five.deviation, 0, 1e-6);
  EXPECT_NEAR(mean_of([](double z, double, double) { return z > 8 && z < 12; }).mean, 0.4, 1e-6);
  const auto ball = mean_of([](double z, double y, double x) { return std::hypot(z - 12, y - 12.3, x - 11.6) < 9.2; });
  EXPECT_NEAR(ball.mean, 1.84, 0.12);
  EXPECT_NEAR(ball.max, 1.84, 0.12);
  EXPECT_LE(ball.p10, ball.median);
  EXPECT_LE(ball.median, ball.p90);
  EXPECT_NEAR(static_cast<double>(ball.voxels), 4.0 / 3 * M_PI * std::pow(9.2, 3), 40);
}

}  // namespace local_thickness_test
