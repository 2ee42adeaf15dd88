#include <gtest/gtest.h>

#include <algorithm>
#include <osteon/morphometry/distance_map.hpp>
#include <osteon/morphometry/local_thickness.hpp>

#include "phases.hpp"

namespace throats_test {

using namespace osteon;
using morphometry::image_faces;

// The definition, sweep after sweep. For each size, the region of at least this width is restricted to voxels that are
// connected to the faces.
std::vector<float> plain(index3 domain, const std::vector<float>& squared, const image_faces& from) {
  std::vector<float> sizes = squared, widest(squared.size(), 0.0F);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (const float size : sizes) {
    if (size == 0) continue;
    std::vector<char> reached(squared.size(), 0);
    for (bool grows = true; grows;) {
      grows = false;
      for (std::int64_t z = 0; z < domain.z; ++z)
        for (std::int64_t y = 0; y < domain.y; ++y)
          for (std::int64_t x = 0; x < domain.x; ++x) {
            const std::size_t i = sample::place(domain, z, y, x);
            if (reached[i] || squared[i] < size) continue;
            bool now = (from[0] && z == 0) || (from[1] && z == domain.z - 1) || (from[2] && y == 0) ||
                       (from[3] && y == domain.y - 1) || (from[4] && x == 0) || (from[5] && x == domain.x - 1);
            const auto is = [&](std::int64_t c, std::int64_t b, std::int64_t a) {
              return c >= 0 && c < domain.z && b >= 0 && b < domain.y && a >= 0 && a < domain.x &&
                     reached[sample::place(domain, c, b, a)];
            };
            now = now || is(z - 1, y, x) || is(z + 1, y, x) || is(z, y - 1, x) || is(z, y + 1, x) || is(z, y, x - 1) ||
                  is(z, y, x + 1);
            if (!now) continue;
            reached[i] = 1;
            widest[i] = size;
            grows = true;
          }
    }
  }
  return widest;
}

// Oracle: connected parts, computed separately for each size. The images contain paths that cross many times.
TEST(access_map, is_the_connected_part_at_each_size) {
  const index3 domain{16, 13, 14};
  const std::vector<float> winding = sample::phase(domain, [](double z, double y, double x) {
    return std::sin(0.9 * z) * std::cos(0.8 * y) + std::sin(0.8 * y) * std::cos(0.7 * x) +
               std::sin(0.7 * x) * std::cos(0.9 * z) >
           -0.1;
  });
  const grid::block alone = grid::make_block(MPI_COMM_SELF, domain, std::vector<std::int64_t>(16, 1));
  for (const vector3& h : {vector3{1, 1, 1}, vector3{1.5, 1, 0.8}})
    for (const std::vector<float>& all : {winding, sample::by_chance(domain, 0.85, 3)})
      for (const image_faces& from : {morphometry::all_faces, image_faces{true}, image_faces{false, false, false, true}}) {
        const std::vector<float> expected = plain(domain, morphometry::distance_map(alone, all, h), from);
        for (const grid::block& where : sample::decompositions(domain)) {
          const auto squared = morphometry::distance_map(where, sample::part_of(where, all), h);
          ASSERT_EQ(morphometry::access_map(where, squared, from), sample::part_of(where, expected));
        }
      }
}

// Oracle: determined by hand. Two chambers of 9 voxels are connected along z by a throat of 3 x 3 voxels. The second chamber
// opens through a throat of 5 voxels. There is no path through the image along y or x.
TEST(throats, of_two_chambers) {
  const index3 domain{34, 15, 15};
  const std::vector<float> all = sample::phase(domain, [](double z, double y, double x) {
    const double off = std::max(std::abs(y - 7.5), std::abs(x - 7.5));
    const bool chamber = (z > 4 && z < 13) || (z > 20 && z < 29);
    return off < (chamber ? 4.5 : z < 20 ? 1.5 : 2.5);
  });
  for (const grid::block& where : sample::decompositions(domain)) {
    const auto squared = morphometry::distance_map(where, sample::part_of(where, all), {1, 1, 1});
    const auto passing = morphometry::passing_radii(where, squared);
    EXPECT_EQ(passing, (std::array<float, 3>{4, 0, 0}));  // two voxels from the centre to solid
    const auto ways = morphometry::access_map(where, squared, morphometry::all_faces);
    const auto sizes = morphometry::statistics_of(where, morphometry::local_thickness(where, ways, {1, 1, 1}), {1, 1, 1});
    EXPECT_EQ(sizes.max, 6);  // the throat of 5 voxels has three voxels from its centre to solid
    EXPECT_EQ(sizes.p10, 4);
    const auto pores = morphometry::statistics_of(where, morphometry::local_thickness(where, squared, {1, 1, 1}), {1, 1, 1});
    EXPECT_EQ(pores.max, 10);
  }
}

}  // namespace throats_test
