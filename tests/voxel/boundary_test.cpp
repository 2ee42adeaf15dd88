#include <gtest/gtest.h>

#include <osteon/voxel/boundary.hpp>
#include <set>
#include <voxel/random_image.hpp>

using namespace osteon;
using namespace osteon::voxel;

// Oracle: every node of a dense scan that lies on the face by its coordinates in the domain.
TEST(face_nodes, are_the_nodes_with_the_coordinate_of_the_face) {
  const index3 domain{6, 4, 5};
  const auto data = random_image(domain, 0.6, 2);
  const box3 owned{{2, 0, 0}, {6, 4, 5}};
  const run_set nodes = corner_nodes(active_cells({data.data() + 2 * 20, owned.shape()}));
  for (const axis along : {axis::z, axis::y, axis::x})
    for (const bool high : {false, true}) {
      std::set<std::int32_t> expected;
      for (std::int64_t z = 0; z < nodes.shape().z; ++z)
        for (std::int64_t y = 0; y < nodes.shape().y; ++y)
          for (std::int64_t x = 0; x < nodes.shape().x; ++x) {
            const index3 global = index3{z, y, x} + owned.begin;
            const int a = static_cast<int>(along);
            if (nodes.find(z, y, x) >= 0 && global[a] == (high ? domain[a] : 0)) expected.insert(nodes.find(z, y, x));
          }
      const auto found = face_nodes(nodes, owned, domain, along, high);
      EXPECT_EQ(std::set<std::int32_t>(found.begin(), found.end()), expected);
      EXPECT_EQ(found.size(), expected.size());
    }
}

TEST(bonded_axial, holds_both_faces_and_drives_the_high_one) {
  const std::vector<std::uint8_t> data(8, 1);
  const index3 shape{2, 2, 2};
  const run_set nodes = corner_nodes(active_cells({data.data(), shape}));
  const auto fixed = bonded_axial(nodes, {{0, 0, 0}, shape}, shape, axis::x, -0.5);
  EXPECT_EQ(fixed.size(), 2u * 9 * 3);
  double sum = 0;
  for (const auto& d : fixed) sum += d.value_mm;
  EXPECT_DOUBLE_EQ(sum, -0.5 * 9);
}
