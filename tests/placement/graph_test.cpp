#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/mapping/bisection.hpp>
#include <osteon/placement/mapping/grouping.hpp>

namespace osteon::placement::graph_test {

std::int64_t total(const graph& g) {
  std::int64_t sum = 0;
  for (const std::int64_t w : g.weight) sum += w;
  return sum / 2;
}

graph random_graph(int vertices, int edges, std::uint64_t seed) {
  random_source random(seed);
  std::vector<edge> list;
  for (int i = 0; i < edges; ++i)
    list.push_back({static_cast<int>(random.below(static_cast<std::uint32_t>(vertices))),
                    static_cast<int>(random.below(static_cast<std::uint32_t>(vertices))), 1 + random.below(9)});
  return from_edges(vertices, list);
}

// Oracle: counted by hand. The grid has 2 x 3 x 4 blocks of 5 x 6 x 7 cells (z, y, x) with 8 bytes.
TEST(Graph, GridHasTheFacesBetweenItsBlocks) {
  const graph g = graph_of({{2, 3, 4}, {5, 6, 7}, 8, {}});
  ASSERT_EQ(g.size(), 24);
  EXPECT_EQ(g.edges(), 1 * 3 * 4 + 2 * 2 * 4 + 2 * 3 * 3);
  EXPECT_EQ(total(g), 8 * (12 * 6 * 7 + 16 * 5 * 7 + 18 * 5 * 6));
  EXPECT_EQ(g.neighbours(0)[0], 1);
  EXPECT_EQ(g.weights(0)[0], 5 * 6 * 8);
  const graph ring = graph_of({{1, 1, 4}, {1, 1, 1}, 1, {false, false, true}});
  EXPECT_EQ(ring.edges(), 4);
  // For two blocks on a ring, each block is the neighbour of the other block on both sides.
  EXPECT_EQ(graph_of({{1, 1, 2}, {1, 1, 1}, 1, {false, false, true}}).weight[0], 2);
}

// Oracle: the definition. A partition divides the total weight into cut edges and interior edges. The quotient contains the
// cut edges.
TEST(Graph, CutQuotientAndInducedGraphsAddUp) {
  const graph g = random_graph(60, 200, 3);
  std::vector<int> part(60);
  for (int v = 0; v < 60; ++v) part[static_cast<std::size_t>(v)] = v * 7 % 5;
  const graph q = quotient(g, part, 5);
  EXPECT_EQ(total(q), cut(g, part));
  std::int64_t inside = 0;
  for (int p = 0; p < 5; ++p) {
    std::vector<int> members;
    for (int v = 59; v >= 0; --v)
      if (part[static_cast<std::size_t>(v)] == p) members.push_back(v);
    inside += total(induced(g, members));
  }
  EXPECT_EQ(inside + total(q), total(g));
}

TEST(Graph, RefusesWhatIsNoGraph) {
  EXPECT_THROW(from_edges(2, std::vector<edge>{{0, 2, 1}}), data_error);
  EXPECT_THROW(from_edges(2, std::vector<edge>{{0, 1, -1}}), data_error);
  EXPECT_THROW(from_edges(3, std::vector<edge>{{0, 1, std::int64_t{1} << 61}, {1, 2, std::int64_t{1} << 61}}), data_error);
  EXPECT_THROW(graph_of({{0, 1, 1}, {1, 1, 1}, 8, {}}), usage_error);
  EXPECT_THROW(graph_of({{1 << 14, 1 << 14, 1}, {1, 1, 1}, 8, {}}), usage_error);
}

void expect_within(const std::vector<int>& part, std::span<const int> capacity) {
  std::vector<int> held(capacity.size(), 0);
  for (const int p : part) {
    ASSERT_GE(p, 0);
    ASSERT_LT(p, static_cast<int>(capacity.size()));
    ++held[static_cast<std::size_t>(p)];
  }
  for (std::size_t p = 0; p < held.size(); ++p) EXPECT_LE(held[p], capacity[p]);
}

// Oracle: capacities are satisfied for every shape of graph and of parts. Two cliques that are connected by one edge are
// separated at this edge.
TEST(Bisection, KeepsCapacitiesAndFindsTheBridge) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const int n = 1 + static_cast<int>(seed * 13 % 150);
    std::vector<int> capacity = {0, 3, 1};
    int room = 4;
    while (room < n)
      capacity.push_back(1 + static_cast<int>(seed + static_cast<std::uint64_t>(room)) % 9), room += capacity.back();
    expect_within(recursive_bisection(random_graph(n, 3 * n, seed), capacity, seed), capacity);
  }
  std::vector<edge> edges = {{3, 17, 1}};
  for (int a = 0; a < 20; ++a)
    for (int b = a + 1; b < 20; ++b)
      if (a % 2 == b % 2) edges.push_back({a, b, 1});
  const graph g = from_edges(20, edges);
  EXPECT_EQ(cut(g, recursive_bisection(g, std::vector<int>{10, 10}, 1)), 0);
}

TEST(FitCapacity, EmptiesWhatIsTooFull) {
  const graph g = random_graph(40, 100, 5);
  std::vector<int> part(40, 0);
  const std::vector<int> capacity = {7, 20, 13};
  EXPECT_EQ(fit_capacity(g, capacity, part), 33);
  expect_within(part, capacity);
}

// Oracle: computed by hand. Faces along x have weight 1, and faces along y and z have weight 4. A brick of a x b x c (x, y,
// z) cuts 64 ((8/a - 1) + 4 (8/b - 1) + 4 (8/c - 1)): 1472 for 1 x 2 x 4 or 1 x 4 x 2, 1728 for 2 x 2 x 2, and 2240 for 1 x
// 1 x 8 or 2 x 1 x 4.
TEST(Bricks, LongBlocksStandSideBySide) {
  const cartesian grid{{8, 8, 8}, {256, 256, 1024}, 8, {}};
  const graph g = graph_of(grid);
  const brick_groups found = best_bricks(grid, g, std::vector<int>(64, 8));
  EXPECT_TRUE(found.fits);
  EXPECT_EQ(found.brick[2], 1);
  EXPECT_EQ(found.brick[0] * found.brick[1], 8);
  // Parts of unequal sizes that are not divisors also have their capacity.
  const cartesian odd{{7, 5, 3}, {1, 1, 1}, 8, {}};
  const std::vector<int> capacity = {10, 0, 48, 48, 3};
  const brick_groups dealt = best_bricks(odd, graph_of(odd), capacity);
  EXPECT_FALSE(dealt.fits);
  expect_within(dealt.part, capacity);
}

}  // namespace osteon::placement::graph_test
