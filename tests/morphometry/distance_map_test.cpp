#include <gtest/gtest.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/morphometry/distance_map.hpp>

#include "phases.hpp"

namespace distance_map_test {

using namespace osteon;

std::vector<float> plain(index3 domain, const std::vector<float>& phase, const vector3& h) {
  std::vector<float> found(phase.size(), 0.0F);
  const double wz = h.z * h.z / (h.x * h.x), wy = h.y * h.y / (h.x * h.x);
  for (std::int64_t z = 0; z < domain.z; ++z)
    for (std::int64_t y = 0; y < domain.y; ++y)
      for (std::int64_t x = 0; x < domain.x; ++x) {
        if (phase[sample::place(domain, z, y, x)] == 0) continue;
        double least = morphometry::beyond;
        for (std::int64_t c = 0; c < domain.z; ++c)
          for (std::int64_t b = 0; b < domain.y; ++b)
            for (std::int64_t a = 0; a < domain.x; ++a)
              if (phase[sample::place(domain, c, b, a)] == 0) {
                const auto dz = static_cast<double>(z - c), dy = static_cast<double>(y - b), dx = static_cast<double>(x - a);
                least = std::min(least, wz * dz * dz + wy * dy * dy + dx * dx);
              }
        found[sample::place(domain, z, y, x)] = static_cast<float>(least);
      }
  return found;
}

// Oracle: all pairs of voxels. The distances are exact for cubic voxels, and exact to rounding for other voxels.
TEST(distance_map, is_that_of_all_pairs) {
  const index3 domain{11, 9, 10};
  for (const double share : {0.5, 0.97}) {
    const std::vector<float> all = sample::by_chance(domain, share, 3);
    for (const vector3& h : {vector3{0.2, 0.2, 0.2}, vector3{0.5, 0.3, 0.2}}) {
      const std::vector<float> expected = plain(domain, all, h);
      for (const grid::block& where : sample::decompositions(domain)) {
        const auto found = morphometry::distance_map(where, sample::part_of(where, all), h);
        const auto part = sample::part_of(where, expected);
        ASSERT_EQ(found.size(), part.size());
        for (std::size_t i = 0; i < part.size(); ++i) {
          if (h.z == h.x)
            ASSERT_EQ(found[i], part[i]) << i;
          else
            ASSERT_NEAR(found[i], part[i], 1e-5 * static_cast<double>(part[i])) << i;
        }
      }
    }
  }
}

// Oracle: the definition. No solid is near.
TEST(distance_map, of_a_full_image_is_beyond) {
  const index3 domain{8, 5, 4};
  for (const grid::block& where : sample::decompositions(domain)) {
    const std::vector<float> full(static_cast<std::size_t>(where.owned.volume()), 1.0F);
    for (const float v : morphometry::distance_map(where, full, {1, 1, 1})) ASSERT_EQ(v, morphometry::beyond);
  }
}

// Oracle: the boxes themselves. Each box extends from end to end, and no box is empty, also if there are as many ranks as
// lines.
TEST(pencils, reach_from_end_to_end) {
  const index3 domain{5, 4, 3};
  for (int along = 0; along < 3; ++along)
    for (int ranks = 1; ranks <= static_cast<int>(domain.volume() / domain[along]); ++ranks) {
      const grid::box_tree boxes = morphometry::pencils(domain, along, ranks);
      std::int64_t voxels = 0;
      for (int r = 0; r < ranks; ++r) {
        const box3 box = boxes.box_of(r);
        ASSERT_EQ(box.shape()[along], domain[along]);
        ASSERT_GT(box.volume(), 0) << along << ' ' << ranks << ' ' << r;
        voxels += box.volume();
      }
      ASSERT_EQ(voxels, domain.volume());
    }
  EXPECT_THROW(morphometry::pencils(domain, 0, 13), usage_error);
}

}  // namespace distance_map_test
