#include <gtest/gtest.h>

#include <osteon/voxel/count_nodes.hpp>
#include <osteon/voxel/run_set.hpp>
#include <voxel/random_image.hpp>

namespace count_nodes_test {

using namespace osteon;
using namespace osteon::voxel;

// Oracle: the nodes themselves, as the solver numbers them.
TEST(count_nodes, agrees_with_the_list_of_nodes) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const index3 shape{1 + seed % 5, 6, 1 + seed % 11};
    const auto data = random_image(shape, 0.03 * seed, seed);
    const run_set cells = active_cells({data.data(), shape}), nodes = corner_nodes(cells);
    node_count expected;
    for (const run& r : nodes.runs())
      for (std::int32_t i = 0; i < r.length; ++i) {
        const index3 at{r.z, r.y, r.x + i};
        ++expected.all;
        for (int a = 0; a < 3; ++a) {
          expected.on_face[static_cast<std::size_t>(a)][0] += at[a] == 0;
          expected.on_face[static_cast<std::size_t>(a)][1] += at[a] == shape[a];
        }
      }
    const node_count found = count_nodes(image_runs_of(cells));
    EXPECT_EQ(found.all, nodes.size());
    EXPECT_EQ(found.all, expected.all);
    EXPECT_EQ(found.on_face, expected.on_face);
  }
}

}  // namespace count_nodes_test
