#include <gtest/gtest.h>

#include <osteon/voxel/run_set.hpp>
#include <voxel/random_image.hpp>

namespace run_set_test {

using namespace osteon;
using namespace osteon::voxel;

// Oracle: a scan of the dense image.
TEST(run_set, numbers_active_cells_in_z_y_x_order) {
  const index3 shape{5, 6, 7};
  const auto data = random_image(shape, 0.4, 1);
  const view3<const material_number> image(data.data(), shape);

  const run_set cells = active_cells(image);

  std::int32_t next = 0;
  for (std::int64_t z = 0; z < shape.z; ++z) {
    EXPECT_EQ(cells.plane_begin(z), next);
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) EXPECT_EQ(cells.find(z, y, x), image(z, y, x) ? next++ : -1);
  }
  EXPECT_EQ(cells.size(), next);
  EXPECT_EQ(cells.plane_begin(shape.z), next);
}

// Oracle: a node exists if one of its eight voxels exists.
TEST(run_set, has_a_node_at_every_corner_of_an_active_cell) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const index3 shape{4, 5, 9};
    const auto data = random_image(shape, 0.05 + 0.045 * seed, seed);
    const view3<const material_number> image(data.data(), shape);
    const run_set cells = active_cells(image);

    const run_set nodes = corner_nodes(cells);

    std::int32_t next = 0;
    for (std::int64_t z = 0; z <= shape.z; ++z)
      for (std::int64_t y = 0; y <= shape.y; ++y)
        for (std::int64_t x = 0; x <= shape.x; ++x) {
          bool exists = false;
          for (int corner = 0; corner < 8; ++corner)
            exists |= cells.find(z - (corner >> 2), y - (corner >> 1 & 1), x - (corner & 1)) >= 0;
          ASSERT_EQ(nodes.find(z, y, x), exists ? next++ : -1) << z << ' ' << y << ' ' << x;
        }
    EXPECT_EQ(nodes.size(), next);
  }
}

TEST(run_set, of_an_empty_image_is_empty) {
  const std::vector<material_number> data(8, 0);
  const run_set cells = active_cells({data.data(), {2, 2, 2}});
  EXPECT_EQ(cells.size(), 0);
  EXPECT_EQ(corner_nodes(cells).size(), 0);
  EXPECT_EQ(cells.find(-1, 0, 0), -1);
}

}  // namespace run_set_test
