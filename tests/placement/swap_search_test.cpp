#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/mapping/swap_search.hpp>

namespace osteon::placement::swap_search_test {

graph random_graph(int vertices, std::uint64_t seed) {
  random_source random(seed);
  std::vector<edge> list;
  for (int a = 0; a < vertices; ++a)
    for (int b = a + 1; b < vertices; ++b)
      if (random.below(2)) list.push_back({a, b, 1 + random.below(20)});
  return from_edges(vertices, list);
}

std::vector<float> random_costs(int parts, std::uint64_t seed) {
  random_source random(seed);
  std::vector<float> costs(static_cast<std::size_t>(parts * parts), 0);
  for (int a = 0; a < parts; ++a)
    for (int b = 0; b < a; ++b)
      costs[static_cast<std::size_t>(a * parts + b)] = costs[static_cast<std::size_t>(b * parts + a)] =
          static_cast<float>(1 + random.below(5));
  return costs;
}

// The cost of the best assignment of vertices to parts of these capacities.
double cheapest(const graph& g, const std::vector<int>& capacity, const part_costs& costs) {
  std::vector<int> part;
  for (std::size_t p = 0; p < capacity.size(); ++p)
    part.insert(part.end(), static_cast<std::size_t>(capacity[p]), static_cast<int>(p));
  double best = 1e300;
  do best = std::min(best, cost_of(g, {part.data(), static_cast<std::size_t>(g.size())}, costs));
  while (std::next_permutation(part.begin(), part.end()));
  return best;
}

// Oracle: the exact optimum, found by enumeration of all placements of 8 vertices.
TEST(SwapSearch, FindsTheOptimumOfSmallGraphs) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const graph g = random_graph(8, seed);
    for (const auto& capacity : {std::vector<int>{4, 4}, {3, 3, 3}, {5, 1, 2}}) {
      const auto table = random_costs(static_cast<int>(capacity.size()), seed);
      for (const part_costs& costs : {part_costs{}, part_costs{table.data(), static_cast<int>(capacity.size())}}) {
        std::vector<int> part(8);
        std::size_t p = 0;
        for (int v = 0, left = capacity[0]; v < 8; ++v, --left) {
          while (left == 0) left = capacity[++p];
          part[static_cast<std::size_t>(v)] = static_cast<int>(p);
        }
        EXPECT_DOUBLE_EQ(swap_search(g, capacity, part, costs, {seed, 40'000, 1, 0.05}), cheapest(g, capacity, costs))
            << "seed " << seed << ", " << capacity.size() << " parts";
      }
    }
  }
}

// Oracle: invariants. The result is never worse than the input. Capacities are satisfied, kinds are kept separate, and
// results for equal seeds are equal.
TEST(SwapSearch, KeepsWhatItMustKeep) {
  const graph g = random_graph(50, 9);
  const auto table = random_costs(10, 4);
  const part_costs costs{table.data(), 10};
  const std::vector<int> capacity(10, 6);
  std::vector<int> start(50), kind(50);
  for (int v = 0; v < 50; ++v) start[static_cast<std::size_t>(v)] = v / 5, kind[static_cast<std::size_t>(v)] = v % 3;
  std::vector<int> part = start;
  EXPECT_LE(swap_search(g, capacity, part, costs, {1, 100'000, 2, 0.1}), cost_of(g, start, costs));
  for (int p = 0; p < 10; ++p) EXPECT_LE(std::count(part.begin(), part.end(), p), 6);
  std::vector<int> again = start;
  swap_search(g, capacity, again, costs, {1, 100'000, 2, 0.1});
  EXPECT_EQ(part, again);
  std::vector<int> bound = start;
  swap_search(g, capacity, bound, costs, {1, 100'000, 2, 0.1}, kind);
  EXPECT_NE(bound, start);
  for (int k = 0; k < 3; ++k)
    for (int p = 0; p < 10; ++p) {
      int before = 0, after = 0;
      for (std::size_t v = 0; v < 50; ++v)
        if (kind[v] == k) before += start[v] == p, after += bound[v] == p;
      EXPECT_EQ(before, after);
    }
}

// Oracle: the means of the distributions.
TEST(RandomSource, DrawsEvenlyAndTheSameEverywhere) {
  random_source random(1);
  EXPECT_EQ(random.bits(), random_source(1).bits());
  double sum = 0, exponential = 0;
  const exponential_table table;
  for (int i = 0; i < 100'000; ++i) sum += random.below(1000), exponential += static_cast<double>(table.draw(random.bits()));
  EXPECT_NEAR(sum / 100'000, 499.5, 3);
  EXPECT_NEAR(exponential / 100'000, 1, 0.02);
}

}  // namespace osteon::placement::swap_search_test
