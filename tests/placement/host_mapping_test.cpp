#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <osteon/base/stopwatch.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/mapping/grouping.hpp>
#include <osteon/placement/mapping/mapping.hpp>

#include "support/long_tests.hpp"

namespace osteon::placement::host_mapping_test {

std::vector<int> identity(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

const fabric::name_function by_number = [](int link) { return fmt::format("link {}", link); };

host_network with_distances(fabric links) {
  auto distance = distances(links);
  return {std::move(links), std::move(distance)};
}

// The networks of the table. Ties of the torus and the gateways of the dragonfly differ from those of `net`. The table
// includes the links of the hosts if the network has such links.
host_network fat_tree_8x8() {
  // Each leaf of 8 hosts has one uplink with twice the rate, which is an oversubscription of 4:1.
  return network_of(std::make_shared<net::network>(net::network_by_text(
                        "fattree:8x8,over=8,rate=1B/s,pu-rate=1B/s,top-rate=2B/s,startup=0s,latency=0s")),
                    64);
}

host_network hyper_crossbar_4x4x4() {
  return network_of(std::make_shared<net::network>(
                        net::network_by_text("hxb:4x4x4,order=zyx,rate=1B/s,pu-rate=1GB/s,startup=0s,latency=0s")),
                    64);
}

host_network torus_4x4x4() {
  return with_distances({"torus", 64, std::vector<double>(64 * 6, 1.0),
                         [](int from, int to, std::vector<int>& way) {
                           int here[3] = {from % 4, from / 4 % 4, from / 16};
                           const int there[3] = {to % 4, to / 4 % 4, to / 16};
                           for (int d = 0; d < 3; ++d)
                             while (here[d] != there[d]) {
                               const int ahead = (there[d] - here[d] + 4) % 4;
                               const bool up = ahead == 1 || (ahead == 2 && (from + to) % 2);
                               way.push_back((here[0] + 4 * here[1] + 16 * here[2]) * 6 + 2 * d + (up ? 0 : 1));
                               here[d] = (here[d] + (up ? 1 : 3)) % 4;
                             }
                         },
                         by_number});
}

host_network dragonfly_8x4x2() {
  constexpr int groups = 8, routers = 4, local = 128, global = local + groups * routers * routers;
  return with_distances({"dragonfly", 64, std::vector<double>(global + groups * groups, 1.0),
                         [](int from, int to, std::vector<int>& way) {
                           const auto gateway = [](int g, int other) { return (other - g - 1 + groups) % groups % routers; };
                           const auto inside = [&](int g, int a, int b) {
                             if (a != b) way.push_back(local + (g * routers + a) * routers + b);
                           };
                           const int g = from / 8, h = to / 8, a = from / 2 % routers, b = to / 2 % routers;
                           way.push_back(2 * from);
                           if (g == h) {
                             inside(g, a, b);
                           } else {
                             inside(g, a, gateway(g, h));
                             way.push_back(global + g * groups + h);
                             inside(h, gateway(h, g), b);
                           }
                           way.push_back(2 * to + 1);
                         },
                         by_number});
}

struct topology_case {
  const char* name;
  host_network network;
  // number of links of a route that are not in the table
  double links_of_host;
  double per_hop;                                                       // number of links per hop of the table
  double volume[2], hottest[2], ordered_volume[2], ordered_hottest[2];  // for 8x8x8 and 32x4x4
};

// Oracle: the minimum over the mappings of Scotch and long searches, for each network and each measure. The figures of
// bricks are in the order of hosts (docs/theory/placement.md, table 3). A unit is a face of 256 x 256.
TEST(HostMapping, EveryNetworkReachesTheBestOfAllTools) {
  std::vector<topology_case> cases;
  cases.push_back({"fat tree 8x8, 4:1", fat_tree_8x8(), 0, 1, {3840, 2240}, {64, 32}, {4992, 3136}, {160, 72}});
  cases.push_back({"torus 4x4x4", torus_4x4x4(), 0, 1, {1472, 1008}, {16, 16}, {2816, 1648}, {64, 40}});
  cases.push_back({"hyper-crossbar 4x4x4", hyper_crossbar_4x4x4(), 2, 2, {1504, 1024}, {24, 24}, {1792, 1136}, {40, 24}});
  cases.push_back({"dragonfly g8 a4 p2", dragonfly_8x4x2(), 0, 1, {4272, 2560}, {56, 32}, {5696, 3632}, {128, 128}});
  fmt::print("{:22} {:8} {:>16} {:>12} {:>12} {:>8}\n", "network", "grid", "order of hosts", "bar", "mapped", "CPU s");
  // The usual run maps the cubes, which are one of the two grids.
  for (int which = 0; which < (test::with_long_tests() ? 2 : 1); ++which) {
    const cartesian grid{which ? std::array{4, 4, 32} : std::array{8, 8, 8}, {1, 1, 4}, 1, {}};
    const graph g = graph_of(grid);
    // The bricks 1x2x4 of the table. The x axis is fastest.
    std::vector<int> part;
    for (int v = 0; v < g.size(); ++v) {
      const int nx = grid.blocks[2], ny = grid.blocks[1], x = v % nx, y = v / nx % ny, z = v / nx / ny;
      part.push_back(x + nx * (y / 2 + ny / 2 * (z / 4)));
    }
    const graph groups = quotient(g, part, 64);
    const double all = static_cast<double>(cut(groups, identity(64)));
    for (const topology_case& c : cases) {
      const auto hops = [&](const network_load& load) { return (load.volume / 2 - c.links_of_host * all) / c.per_hop; };
      const network_load ordered = load_of(groups, identity(64), c.network.links);
      EXPECT_DOUBLE_EQ(hops(ordered), c.ordered_volume[which]) << c.name;
      EXPECT_DOUBLE_EQ(ordered.hottest_time, c.ordered_hottest[which]) << c.name;
      const double begin = cpu_seconds();
      const host_mapping found = map_to_hosts(groups, std::vector<int>(64, 8), c.network);
      fmt::print("{:22} {:8} {:>16} {:>12} {:>12} {:8.2f}\n", c.name, which ? "32x4x4" : "8x8x8",
                 fmt::format("{:.0f} / {:.0f}", hops(ordered), ordered.hottest_time),
                 fmt::format("{:.0f} / {:.0f}", c.volume[which], c.hottest[which]),
                 fmt::format("{:.0f} / {:.0f}", hops(found.load), found.load.hottest_time), cpu_seconds() - begin);
      EXPECT_LE(hops(found.load), c.volume[which]) << c.name;
      EXPECT_LE(found.load.hottest_time, c.hottest[which]) << c.name;
      std::vector<int> sorted = found.host;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(sorted, identity(64));
    }
  }
}

// Oracle: computed by hand. A brick of 1 x 2 x 4 blocks in the middle sends 2 x 8 faces of weight 1 along x, 2 x 4 faces of
// weight 4 along y, and 2 faces of weight 4 along z. The sum is 56, which is 224 at a quarter of the rate. A brick at two
// ends of the grid sends 8 + 4 x 4 + 2 x 4 = 32, which is 128 at a quarter of the rate. There are enough such bricks for the
// three slow hosts among 64 hosts.
TEST(HostMapping, SlowHostsGetLightGroups) {
  const cartesian grid{{8, 8, 8}, {1, 1, 4}, 1, {}};
  const graph g = graph_of(grid);
  const brick_groups bricks = best_bricks(grid, g, std::vector<int>(64, 8));
  const graph groups = quotient(g, bricks.part, 64);
  random_source random(5);
  for (int draw = 0; draw < 4; ++draw) {
    std::vector<double> rate(64, 1);
    std::vector<int> hosts = identity(64);
    random.shuffle(hosts);
    for (std::size_t i = 0; i < 3; ++i) rate[static_cast<std::size_t>(hosts[i])] = 0.25;
    const host_network network{host_links_only(rate, by_number), {}};
    const double ordered = load_of(groups, identity(64), network.links).hottest_time;
    const double placed = map_to_hosts(groups, std::vector<int>(64, 8), network).load.hottest_time;
    fmt::print("slow hosts {}, {}, {}: {:.0f} in order of hosts, {:.0f} placed, {:.2f} times\n", hosts[0], hosts[1],
               hosts[2], ordered, placed, ordered / placed);
    EXPECT_LE(placed, 128);
  }
}

// Oracle: capacities. A group is assigned only to hosts that are as large as the host for which the group was made.
TEST(HostMapping, GroupsGoToHostsOfTheirSize) {
  const graph groups = graph_of({{1, 4, 5}, {1, 1, 1}, 10, {}});
  std::vector<int> capacity;
  for (int h = 0; h < 20; ++h) capacity.push_back(h % 3 ? 8 : 4);
  std::vector<double> rate(20, 1);
  rate[7] = 0.2;
  host_network network = with_distances(host_links_only(rate, by_number));
  const host_mapping found = map_to_hosts(groups, capacity, network);
  for (int g = 0; g < 20; ++g)
    EXPECT_EQ(capacity[static_cast<std::size_t>(g)],
              capacity[static_cast<std::size_t>(found.host[static_cast<std::size_t>(g)])]);
  EXPECT_LT(found.load.score(), load_of(groups, identity(20), network.links).score());
}

}  // namespace osteon::placement::host_mapping_test
