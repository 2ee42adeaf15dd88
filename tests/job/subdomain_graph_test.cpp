#include <gtest/gtest.h>

#include <osteon/job/placement/rank_graph.hpp>

namespace osteon::job::subdomain_graph_test {

// One cut across each axis yields 8 boxes, with x fastest.
grid::box_tree eighths(index3 n) {
  using cut = grid::box_tree::cut;
  const std::int64_t z = n.z / 2, y = n.y / 2, x = n.x / 2;
  const cut across_x{x, 1, 2}, across_y{y, 2, 1};
  return {n, {cut{z, 4, 0}, across_y, across_x, across_x, across_y, across_x, across_x}};
}

// Oracle: counted by hand. In a full box, two boxes with a common face share the nodes of the face. Boxes with a common edge
// share the nodes of the edge, and boxes with a common corner share one node.
TEST(SubdomainGraph, FullBoxSharesFacesEdgesAndCorners) {
  const index3 n{4, 6, 10};
  const std::vector<material_number> full(static_cast<std::size_t>(n.volume()), 1);
  const placement::graph g = shared_node_graph(eighths(n), {full.data(), n}, 3);
  ASSERT_EQ(g.size(), 8);
  EXPECT_EQ(g.edges(), 28);  // every pair
  // box 0 with the boxes 1 (x), 2 (y), 3 (xy), 4 (z), ...
  const std::int64_t nodes[8] = {0, 3 * 4, 3 * 6, 3, 4 * 6, 4, 6, 1};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(g.neighbours(0)[i], static_cast<int>(i) + 1);
    EXPECT_EQ(g.weights(0)[i], 3 * 8 * nodes[i + 1]) << i + 1;
  }
}

// Oracle: only nodes with active voxels on both sides are shared. A bar of 2 x 2 voxels along x is cut in the middle.
TEST(SubdomainGraph, EmptySpaceSharesNothing) {
  const index3 n{4, 6, 10};
  std::vector<material_number> bar(static_cast<std::size_t>(n.volume()), 0);
  for (std::int64_t z = 0; z < 2; ++z)
    for (std::int64_t y = 0; y < 2; ++y)
      for (std::int64_t x = 0; x < 10; ++x) bar[static_cast<std::size_t>((z * 6 + y) * 10 + x)] = 1;
  const placement::graph g = shared_node_graph(eighths(n), {bar.data(), n}, 1);
  EXPECT_EQ(g.edges(), 1);
  EXPECT_EQ(g.neighbours(0)[0], 1);
  EXPECT_EQ(g.weights(0)[0], 8 * 9);
  // The image is divided into planes. The upper part has no voxels.
  const std::vector<std::int64_t> first = {0, 1, 2, 4};
  const placement::graph planes = shared_node_graph(grid::box_tree::of_planes(n, first), {bar.data(), n}, 1);
  EXPECT_EQ(planes.edges(), 1);
  EXPECT_EQ(planes.weights(0)[0], 8 * 3 * 11);
}

}  // namespace osteon::job::subdomain_graph_test
