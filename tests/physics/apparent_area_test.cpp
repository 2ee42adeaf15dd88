#include <gtest/gtest.h>

#include <algorithm>
#include <osteon/physics/elasticity/loads/standard_tests.hpp>
#include <random>
#include <vector>

namespace apparent_area_test {

using namespace osteon;
using physics::row_ends;

struct place {
  std::int64_t v, u;
};

// Whether a place is in the convex hull of others. No line through such a place has all other places strictly on one side.
bool is_within(const place& p, const std::vector<place>& all) {
  for (const place& a : all)
    if (a.v == p.v && a.u == p.u) return true;
  for (const place& a : all) {  // tests the line from p through a as a support of the hull
    bool left = false, right = false, ahead = false, back = false;
    for (const place& b : all) {
      const std::int64_t turn = (a.v - p.v) * (b.u - p.u) - (a.u - p.u) * (b.v - p.v);
      const std::int64_t along = (a.v - p.v) * (b.v - p.v) + (a.u - p.u) * (b.u - p.u);
      left = left || turn > 0;
      right = right || turn < 0;
      ahead = ahead || (turn == 0 && along > 0);
      back = back || (turn == 0 && along < 0);
    }
    if ((!left || !right) && !(ahead && back)) return false;
  }
  return true;
}

std::int64_t counted(const std::vector<row_ends>& rows) {
  std::vector<place> all;
  std::int64_t high = 0;
  for (std::size_t v = 0; v < rows.size(); ++v)
    if (rows[v].last >= rows[v].first) {
      all.push_back({static_cast<std::int64_t>(v), rows[v].first});
      all.push_back({static_cast<std::int64_t>(v), rows[v].last});
      high = std::max(high, rows[v].last);
    }
  std::int64_t count = 0;
  for (std::size_t v = 0; v < rows.size(); ++v)
    for (std::int64_t u = 0; u <= high; ++u) count += is_within({static_cast<std::int64_t>(v), u}, all);
  return count;
}

// Oracle: the voxels themselves. A voxelised disc is its own outline.
TEST(apparent_area, a_disc_and_a_box_are_their_own_outlines) {
  for (const double radius : {0.4, 3.0, 7.3, 20.0}) {
    std::vector<row_ends> rows(50);
    std::int64_t voxels = 0;
    for (std::int64_t v = 0; v < 50; ++v)
      for (std::int64_t u = 0; u < 50; ++u) {
        const double y = static_cast<double>(v) - 24.5, x = static_cast<double>(u) - 24.5;
        if (y * y + x * x > radius * radius && radius > 1) continue;
        if (radius < 1 && (v != 4 || u != 7)) continue;
        row_ends& row = rows[static_cast<std::size_t>(v)];
        row = row.last < row.first ? row_ends{u, u} : row_ends{row.first, u};
        ++voxels;
      }
    EXPECT_EQ(physics::voxels_in_outline(rows), voxels) << radius;
  }
  EXPECT_EQ(physics::voxels_in_outline(std::vector<row_ends>(7, row_ends{2, 10})), 63);
  EXPECT_EQ(physics::voxels_in_outline(std::vector<row_ends>{{3, 8}}), 6);
  EXPECT_EQ(physics::voxels_in_outline(std::vector<row_ends>{{0, 0}, {}, {2, 2}, {}, {4, 4}}), 5);
  EXPECT_EQ(physics::voxels_in_outline(std::vector<row_ends>(4)), 0);
}

// Oracle: a count of the places in the hull, one by one.
TEST(apparent_area, outlines_have_the_voxels_of_their_hull) {
  std::mt19937 random(5);
  for (int n = 0; n < 60; ++n) {
    std::vector<row_ends> rows(3 + random() % 9);
    for (row_ends& row : rows)
      if (random() % 3 != 0) {
        row.first = random() % 12;
        row.last = row.first + random() % 5;
      }
    if (std::all_of(rows.begin(), rows.end(), [](const row_ends& r) { return r.last < r.first; })) continue;
    EXPECT_EQ(physics::voxels_in_outline(rows), counted(rows)) << n;
  }
}

}  // namespace apparent_area_test
