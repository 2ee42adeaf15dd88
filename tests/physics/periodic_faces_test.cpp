#include <gtest/gtest.h>

#include <osteon/physics/elasticity/solver/homogenise.hpp>

#include "elastic_model.hpp"

namespace periodic_faces_test {

using namespace osteon;
using namespace osteon::elastic_model;

std::array<physics::partner_count, 3> match(const model& m) {
  return physics::count_partners(make_problem(m, [](index3, const axis_value&) {}));
}

// Oracle: numbers counted by hand.
TEST(periodic_faces, of_a_full_box_all_fit) {
  const auto found = match(solid({14, 3, 5}));
  for (std::size_t across = 0; across < 3; ++across) {
    const std::int64_t expected = 2 * (across == 0 ? 4 * 6 : across == 1 ? 15 * 6 : 15 * 4);
    EXPECT_EQ(found[across].nodes, expected);
    EXPECT_EQ(found[across].paired, expected);
  }
}

// Oracle: numbers counted by hand. A bar along z with an offset of one voxel at half its length. The bar touches one face
// across y.
TEST(periodic_faces, counts_partners_across_ranks) {
  model m = solid({14, 3, 6});
  std::fill(m.voxels.begin(), m.voxels.end(), material_number{0});
  for (std::int64_t z = 0; z < 14; ++z)
    for (std::int64_t x = 1; x < 4; ++x) m.at(z, 0, z < 7 ? x : x + 1) = 1;
  const auto found = match(m);
  EXPECT_EQ(found[0].nodes, 16);  // 2 x 4 on each face
  EXPECT_EQ(found[0].paired, 12);
  EXPECT_EQ(found[1].nodes, 15 * 4 + 1);  // one node more at the offset
  EXPECT_EQ(found[1].paired, 0);
  EXPECT_EQ(found[2].nodes, 0);
}

}  // namespace periodic_faces_test
