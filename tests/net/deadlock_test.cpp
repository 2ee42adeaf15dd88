// Tests of cycles of virtual channels.
#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/net/networks/deadlock.hpp>
#include <osteon/net/networks/network_request.hpp>

#include "wormhole_reference.hpp"

namespace deadlock_test {

using namespace osteon;
using net::find_deadlock;
using net::network_by_text;

// Each channel is followed by the beginning of the next channel, and the last channel by the first. The named message uses
// both channels consecutively.
void expect_circle(const net::network& where, const net::deadlock_report& report) {
  ASSERT_GE(report.circle.size(), 2U) << where.name;
  for (std::size_t i = 0; i < report.circle.size(); ++i) {
    const net::waiting& here = report.circle[i];
    EXPECT_EQ(here.for_, report.circle[(i + 1) % report.circle.size()].holds) << where.name;
    EXPECT_EQ(where.links[static_cast<std::size_t>(here.holds.link)].to,
              where.links[static_cast<std::size_t>(here.for_.link)].from);
    const auto way = net::virtual_channels_of(where, here.message.from, here.message.to);
    const auto held = std::find(way.begin(), way.end(), here.holds);
    ASSERT_LT(held - way.begin(), std::ssize(way) - 1) << where.name;
    EXPECT_EQ(held[1], here.for_) << where.name;
  }
}

net::network ring_of_routers(const char* routing, int channels) {
  std::string routers, pus, links;
  for (int i = 0; i < 5; ++i) {
    const std::string comma = i > 0 ? "," : "";
    routers += comma + "{\"name\":\"r" + std::to_string(i) + "\"}";
    pus += comma + "{\"router\":\"r" + std::to_string(i) + "\"}";
    links += comma + "{\"from\":\"r" + std::to_string(i) + "\",\"to\":\"r" + std::to_string((i + 1) % 5) +
             "\",\"channels\":" + std::to_string(channels) + "}";
  }
  return net::parse_graph("{\"schema\":\"osteon.network/1\",\"routing\":\"" + std::string(routing) + "\",\"routers\":[" +
                              routers + "],\"pus\":[" + pus + "],\"links\":[" + links + "]}",
                          "ring");
}

// Oracle: Dally and Seitz. Dimension order is free of deadlocks on meshes, hypercubes and crossbars, and so are up-down
// routes on trees. A torus needs two channels in rings of more than four PUs. In rings of four, the shortest routes have two
// hops, half of them in each direction, and two consecutive routes turn no corner. On a dragonfly, routes of local, global
// and local hops need two channels.
TEST(deadlock, of_minimal_ways) {
  for (const char* text :
       {"mesh:5x3x4", "hypercube:6", "hxb:4x4x4", "hxb:4x4x4,order=zxy", "cube:base=3,n=3", "crossbar:16",
        "fattree:4x4x4,over=2", "torus:4x4", "torus:3x3x3", "torus:6x5x4,channels=2", "torus:5x5,order=yx,channels=3",
        "dragonfly:p=2,a=4,h=2,channels=2", "dragonfly:p=2,a=4,h=2,g=1"}) {
    const auto where = network_by_text(text);
    const auto report = find_deadlock(where);
    EXPECT_TRUE(report.circle.empty()) << text;
    EXPECT_GE(report.sufficient, 1) << text;
  }
  for (const char* text : {"torus:5", "torus:6x5x4", "dragonfly:p=2,a=4,h=2", "dragonfly:p=1,a=2,h=1"}) {
    const auto where = network_by_text(text);
    const auto report = find_deadlock(where);
    expect_circle(where, report);
    EXPECT_EQ(report.sufficient, 2) << text;
  }
}

// Oracle: determined by hand. A ring of five has five channels in each direction. Because of routes of two hops, each
// channel waits for the next.
TEST(deadlock, counts_a_ring) {
  const auto where = network_by_text("torus:5");
  const auto report = find_deadlock(where);
  EXPECT_EQ(report.channels, 10);
  EXPECT_EQ(report.dependencies, 10);
  EXPECT_EQ(report.circle.size(), 5U);
  const auto with_two = find_deadlock(network_by_text("torus:5,channels=2"));
  // In each direction, there are five channels of class 0, and two channels of class 1. The two channels follow the end
  // through which a message continues.
  EXPECT_EQ(with_two.channels, 12);
  EXPECT_EQ(with_two.dependencies, 10);
}

// Oracle: each half of a route of Valiant needs the channels of a minimal route. The second half never returns to the first.
TEST(deadlock, of_ways_by_a_random_pu) {
  const struct {
    const char* text;
    int needed;
  } cases[] = {{"mesh:4x4", 2}, {"hypercube:5", 2}, {"hxb:4x4x4", 2}, {"torus:6x6", 4}, {"dragonfly:p=2,a=4,h=2", 4}};
  for (const auto& c : cases) {
    const auto where = network_by_text(std::string(c.text) + ",route=valiant");
    const auto report = find_deadlock(where);
    expect_circle(where, report);
    EXPECT_GE(report.sufficient, 2) << c.text;
    EXPECT_LE(report.sufficient, c.needed) << c.text;
    EXPECT_TRUE(
        find_deadlock(network_by_text(c.text + (",route=valiant,channels=" + std::to_string(c.needed)))).circle.empty())
        << c.text;
  }
}

// Oracle: up-down routes never turn upward again. Shortest routes round five routers wait for each other, but not if each
// hop has a separate channel.
TEST(deadlock, of_routers_and_links_of_ones_own) {
  const auto minimal = ring_of_routers("minimal", 1);
  const auto report = find_deadlock(minimal);
  expect_circle(minimal, report);
  EXPECT_EQ(report.circle.size(), 5U);
  EXPECT_EQ(report.sufficient, 2);
  EXPECT_TRUE(find_deadlock(ring_of_routers("minimal", 2)).circle.empty());
  EXPECT_TRUE(find_deadlock(ring_of_routers("up-down", 1)).circle.empty());
}

// Oracle: flit by flit. The messages named in the report are sent at once and reach a deadlock. On a ring of four, which is
// free of deadlocks, this pattern does not reach a deadlock.
TEST(deadlock, happens_flit_by_flit) {
  const auto where = network_by_text("torus:5");
  std::vector<std::vector<int>> ways;
  for (const net::waiting& w : find_deadlock(where).circle) ways.push_back(where.route(w.message.from, w.message.to));
  EXPECT_TRUE(net_test::run_worms(where, ways, 64).stuck);
  const auto four = network_by_text("torus:4");
  ways.clear();
  for (int pu = 0; pu < 4; ++pu) ways.push_back(four.route(pu, (pu + 2) % 4));
  EXPECT_FALSE(net_test::run_worms(four, ways, 64).stuck);
}

TEST(deadlock, refuses_too_many_pairs) { EXPECT_THROW(find_deadlock(network_by_text("hypercube:13")), usage_error); }

}  // namespace deadlock_test
