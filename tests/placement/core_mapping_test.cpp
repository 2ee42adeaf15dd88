#include <gtest/gtest.h>

#include <algorithm>
#include <machine/trees.hpp>
#include <numeric>
#include <osteon/placement/mapping/mapping.hpp>
#include <osteon/placement/mapping/scotch_start.hpp>
#include <osteon/placement/mapping/swap_search.hpp>

namespace osteon::placement::core_mapping_test {

namespace samples = machine::samples;

struct brick_case {
  std::array<int, 3> blocks;  // z, y, x
  std::int64_t between_sockets, by_depth;
};
// A brick of 8 subdomains with the proportions 4:1:1 on 2 sockets of 4 cores. Volumes are in faces of 256 x 256.
const std::vector<brick_case> bricks = {{{4, 2, 1}, 8, 40}, {{2, 2, 2}, 4, 36}, {{1, 1, 8}, 1, 7}};

graph graph_of_brick(const brick_case& b) { return graph_of({b.blocks, {1, 1, 4}, 1, {}}); }

std::int64_t between_sockets(const graph& g, const std::vector<int>& core) {
  const auto tree = samples::two_sockets();
  std::vector<int> socket;
  for (const int c : core) socket.push_back(tree.domain_of(c, machine::level::package));
  return cut(g, socket);
}

core_costs tree_costs(const machine::host_tree& tree, const std::vector<int>& cores) {
  core_costs costs;
  for (const int a : cores)
    for (const int b : cores) costs.push_back(static_cast<float>(tree_distance(tree, a, b)));
  return costs;
}

// Oracle: the exact optimum between two sockets, determined by hand. The optimum is the cut through the middle of the brick.
TEST(CoreMapping, BricksAreHalvedBetweenSockets) {
  const auto tree = samples::two_sockets();
  const auto cores = tree.usable_cores();
  for (const brick_case& b : bricks) {
    const graph g = graph_of_brick(b);
    EXPECT_EQ(between_sockets(g, map_to_cores(g, tree, cores, tree_costs(tree, cores), 1)), b.between_sockets);
  }
}

// Oracle: determined by hand. The weight of [Ito] is the depth of the common ancestor, which is larger for closer cores.
// Scotch expects a distance. The weight itself yields the worst map, in which all faces of the brick are between sockets.
// The volumes are 3 x 2 x 4 + 4 x 1 x 4 = 40 for 4 x 2 x 1, 4 x 4 + 4 x 4 + 4 = 36 for 2 x 2 x 2, and 7 in a row. As a
// distance, the weight yields the best map, which is the cut through the middle.
TEST(CoreMapping, ScotchTakesDistancesAndNotDepths) {
  if (scotch_version().empty()) GTEST_SKIP() << "Scotch is not installed";
  const auto tree = samples::two_sockets();
  for (const brick_case& b : bricks) {
    const graph g = graph_of_brick(b);
    std::vector<int> distance, depth;
    for (int p = 0; p < 8; ++p)
      for (int q = 0; q < 8; ++q) {
        distance.push_back(tree_distance(tree, p, q));
        depth.push_back(p == q ? 0 : 5 - distance.back());
      }
    const auto right = scotch_mapping(g, 8, distance, 1), wrong = scotch_mapping(g, 8, depth, 1);
    ASSERT_TRUE(right && wrong);
    EXPECT_EQ(between_sockets(g, *right), b.between_sockets);
    EXPECT_EQ(between_sockets(g, *wrong), b.by_depth);
  }
}

// Oracle: levels counted by hand on an EPYC with two sockets, each with 12 L3 caches for 8 cores.
TEST(CoreMapping, DistanceGrowsWithTheLevelsThatAreNotShared) {
  const auto tree = samples::epyc();
  EXPECT_EQ(tree_distance(tree, 5, 5), 0);
  EXPECT_EQ(tree_distance(tree, 0, 7), 1);
  EXPECT_EQ(tree_distance(tree, 0, 8), 2);
  EXPECT_EQ(tree_distance(tree, 0, 95), 2);
  EXPECT_EQ(tree_distance(tree, 0, 96), 4);
}

// Oracle: a grid of 8 x 12 x 2 blocks is 24 bricks of 8 blocks. Bricks of 2x2x2 on L3 caches, and halves of the grid on
// sockets, have the smallest cut.
TEST(CoreMapping, FillsTheLevelsOfAnEpyc) {
  const auto tree = samples::epyc();
  const auto cores = tree.usable_cores();
  ASSERT_EQ(cores.size(), 192U);
  const graph g = graph_of({{2, 12, 8}, {1, 1, 1}, 1, {}});
  const auto place = map_to_cores(g, tree, cores, tree_costs(tree, cores), 1);
  std::vector<int> socket, l3, sorted = place, all(192);
  for (const int p : place) {
    socket.push_back(tree.domain_of(cores[static_cast<std::size_t>(p)], machine::level::package));
    l3.push_back(tree.domain_of(cores[static_cast<std::size_t>(p)], machine::level::l3));
  }
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  EXPECT_EQ(cut(g, socket), 2 * 8);
  EXPECT_LE(cut(g, l3), 3 * 2 * 12 + 5 * 2 * 8);
}

// Oracle: invariants on hosts with missing cores. Each subdomain has a core, and the result is never worse than the map in
// order.
TEST(CoreMapping, UsesOnlyCoresThatAreThere) {
  const auto tree = samples::missing_cores();
  const auto cores = tree.usable_cores();
  ASSERT_EQ(cores.size(), 5U);
  for (int n = 1; n <= 5; ++n) {
    const graph g = graph_of({{1, 1, n}, {1, 1, 1}, 1, {}});
    const auto costs = tree_costs(tree, cores);
    const auto place = map_to_cores(g, tree, cores, costs, 1);
    std::vector<int> sorted = place, in_order(static_cast<std::size_t>(n));
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
    EXPECT_LT(sorted.back(), 5);
    std::iota(in_order.begin(), in_order.end(), 0);
    EXPECT_LE(cost_of(g, place, {costs.data(), 5}), cost_of(g, in_order, {costs.data(), 5}));
  }
}

}  // namespace osteon::placement::core_mapping_test
