#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/mapping/grouping.hpp>
#include <sstream>

#include "support/long_tests.hpp"

namespace osteon::placement::grouping_test {

// Off-host megabytes of an exchange in both directions.
double megabytes(const graph& g, const std::vector<int>& part) { return static_cast<double>(2 * cut(g, part)) / 1e6; }

struct paper_case {
  const char* name;
  std::array<int, 3> blocks;          // x, y, z as in the tables
  std::array<std::int64_t, 3> cells;  // x, y, z
  double original, random, best;      // MB
};

// Oracle: off-host volumes of the grids of [Ito] on hosts with 8 cores. The volumes were measured with Scotch, METIS and all
// bricks (docs/theory/placement.md, table 1).
TEST(Grouping, PapersGridsReachTheBestVolume) {
  const std::vector<paper_case> cases = {
      {"C1-32", {4, 2, 4}, {813, 407, 203}, 127.1, 156.1, 31.7},
      {"C1-64", {4, 4, 4}, {1024, 256, 256}, 268.4, 400.7, 117.4},
      {"C1-128", {8, 4, 4}, {645, 323, 323}, 640.0, 781.1, 293.5},
      {"C1-256", {8, 4, 8}, {813, 406, 203}, 1690.0, 1930.0, 633.4},
      {"C1/C2-512", {8, 8, 8}, {1024, 256, 256}, 3758.1, 4168.5, 1543.5},
      {"C2-32", {4, 2, 4}, {1024, 256, 256}, 100.7, 149.9, 25.2},
      {"C2-128", {8, 4, 4}, {1024, 256, 256}, 805.3, 871.5, 251.7},
      {"C2-256", {8, 4, 8}, {1024, 256, 256}, 1744.8, 1925.6, 637.5},
      {"32x4x4 long", {32, 4, 4}, {1024, 256, 256}, 3271.6, 3690.4, 1057.0},
      {"32x4x4 cubes", {32, 4, 4}, {256, 256, 256}, 855.6, 1307.7, 520.1},
      {"8x8x8 cubes", {8, 8, 8}, {256, 256, 256}, 939.5, 1389.8, 604.0},
  };
  fmt::print("{:14} {:>9} {:>9} {:>9} {:>7} {:>7} {:>8}  {}\n", "case", "original", "random", "placed", "orig/x", "rand/x",
             "CPU s", "from");
  for (const paper_case& c : cases) {
    const cartesian grid{{c.blocks[2], c.blocks[1], c.blocks[0]}, {c.cells[2], c.cells[1], c.cells[0]}, 8, {}};
    const graph g = graph_of(grid);
    const std::vector<int> capacity(static_cast<std::size_t>(g.size() / 8), 8);
    const double begin = cpu_seconds();
    const grouping found = group(g, capacity, {1, grid});
    const double seconds = cpu_seconds() - begin;
    std::vector<int> part = in_order(g.size(), capacity);
    const double original = megabytes(g, part);
    double random = 0;
    random_source source(1);
    for (int i = 0; i < 50; ++i) source.shuffle(part), random += megabytes(g, part) / 50;
    const double placed = megabytes(g, found.part);
    fmt::print("{:14} {:9.1f} {:9.1f} {:9.1f} {:7.2f} {:7.2f} {:8.3f}  {}\n", c.name, original, random, placed,
               original / placed, random / placed, seconds, found.begun_from);
    EXPECT_NEAR(original, c.original, 0.051) << c.name;
    EXPECT_NEAR(random / c.random, 1, 0.02) << c.name;
    EXPECT_LE(placed, c.best + 0.051) << c.name;
    EXPECT_EQ(2 * found.cut, static_cast<std::int64_t>(placed * 1e6 + 0.5));
  }
}

graph unstructured() {
  std::ifstream file(UNSTRUCTURED_GRAPH);
  std::string line;
  std::getline(file, line);
  std::vector<edge> edges;
  int v = 0;
  for (; std::getline(file, line); ++v) {
    std::istringstream words(line);
    std::int64_t w;
    for (int to; words >> to >> w;)
      if (to - 1 > v) edges.push_back({v, to - 1, w});
  }
  return from_edges(v, edges);
}

struct hard_case {
  const char* name;
  std::array<int, 3> blocks;  // numbers of blocks along x, y, z; zeros for the graph of a file
  int length, cores;          // number of blocks along x, and number of cores of a host
  std::int64_t contiguous, best;
  bool is_long = false;  // true if the usual run omits the case
};

// Oracle: the best cut of Scotch, METIS, KaHIP, TreeMatch and a long annealing (docs/theory/placement.md, table 2). The
// hosts do not divide the grids of these graphs, or the graphs are not grids.
TEST(Grouping, HardCasesAreAtMostTheBestOfAllTools) {
  const std::vector<hard_case> cases = {
      {"unstructured 512 / 8", {}, 1, 8, 35437, 35437, true},
      {"unstructured 512 / 48", {}, 1, 48, 19099, 16825},
      {"grid 9x7x8 (1:4:4) / 8", {9, 7, 8}, 4, 8, 3548, 1456, true},
      {"grid 12x10x6 (1:4:4) / 48", {12, 10, 6}, 4, 48, 2976, 816},
      {"grid 10^3 / 48", {10, 10, 10}, 1, 48, 1108, 629},
      {"grid 7^3 / 12", {7, 7, 7}, 1, 12, 492, 325, true},
      {"grid 16^3 / 128", {16, 16, 16}, 1, 128, 4096, 1792},
  };
  fmt::print("{:28} {:>10} {:>8} {:>8} {:>8}  {}\n", "case", "contiguous", "bar", "placed", "CPU s", "from");
  for (const hard_case& c : cases) {
    if (c.is_long && !test::with_long_tests()) continue;
    const cartesian grid{{c.blocks[2], c.blocks[1], c.blocks[0]}, {1, 1, c.length}, 1, {}};
    const bool is_grid = c.blocks[0] > 0;
    const graph g = is_grid ? graph_of(grid) : unstructured();
    const std::vector<int> capacity(static_cast<std::size_t>((g.size() + c.cores - 1) / c.cores), c.cores);
    EXPECT_EQ(cut(g, in_order(g.size(), capacity)), c.contiguous);
    const double begin = cpu_seconds();
    grouping_options options{.seed = 1, .use_scotch = false};  // the limits are reached without Scotch
    if (is_grid) options.grid = grid;
    const grouping found = group(g, capacity, options);
    fmt::print("{:28} {:10} {:8} {:8} {:8.2f}  {}\n", c.name, c.contiguous, c.best, found.cut, cpu_seconds() - begin,
               found.begun_from);
    EXPECT_LE(found.cut, c.best) << c.name;
    std::vector<int> held(capacity.size(), 0);
    for (const int p : found.part) ++held[static_cast<std::size_t>(p)];
    for (const int h : held) EXPECT_LE(h, c.cores);
  }
}

// Oracle: invariants. With the starts of Scotch, the result is not worse than the input, and the result satisfies the
// capacities.
TEST(Grouping, ScotchIsOneMoreStart) {
  const graph g = unstructured();
  const std::vector<int> capacity(11, 48);
  const grouping found = group(g, capacity, {.proposals = 1'000'000});
  EXPECT_LE(found.cut, 16825 * 1.05);
  EXPECT_LT(found.cut, cut(g, in_order(g.size(), capacity)));
}

TEST(Grouping, RefusesTooFewPlaces) {
  const graph g = graph_of({{1, 1, 5}, {1, 1, 1}, 1, {}});
  EXPECT_THROW(group(g, std::vector<int>{2, 2}), usage_error);
  EXPECT_THROW(group(g, std::vector<int>{-1, 8}), usage_error);
  EXPECT_EQ(group(g, std::vector<int>{0, 5}).cut, 0);
}

}  // namespace osteon::placement::grouping_test
