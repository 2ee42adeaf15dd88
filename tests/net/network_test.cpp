#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <queue>
#include <set>

namespace network_test {

using namespace osteon;
using net::network;
using net::network_by_text;

// A route must be connected, must begin and end at its PUs, and must use no link twice.
void check_ways(const network& what) {
  for (int from = 0; from < what.pus; ++from)
    for (int to = 0; to < what.pus; ++to) {
      const auto path = what.route(from, to);
      if (from == to) {
        ASSERT_TRUE(path.empty());
        continue;
      }
      int at = from;
      for (const int l : path) {
        const auto& link = what.links.at(static_cast<std::size_t>(l));
        ASSERT_EQ(link.from, at) << what.name << ": " << from << " to " << to;
        at = link.to;
      }
      ASSERT_EQ(at, to);
      if (what.minimal) {
        ASSERT_EQ(std::set<int>(path.begin(), path.end()).size(), path.size());
      }
    }
}

// Numbers of links of the shortest routes from one vertex to all others.
std::vector<int> distances(const network& what, int from) {
  std::vector<int> distance(static_cast<std::size_t>(what.vertices), -1);
  std::vector<std::vector<int>> out(static_cast<std::size_t>(what.vertices));
  for (const auto& l : what.links) out[static_cast<std::size_t>(l.from)].push_back(l.to);
  std::queue<int> queue({from});
  distance[static_cast<std::size_t>(from)] = 0;
  for (; !queue.empty(); queue.pop())
    for (const int to : out[static_cast<std::size_t>(queue.front())])
      if (distance[static_cast<std::size_t>(to)] < 0) {
        distance[static_cast<std::size_t>(to)] = distance[static_cast<std::size_t>(queue.front())] + 1;
        queue.push(to);
      }
  return distance;
}

std::map<net::link_kind, int> count_links(const network& what) {
  std::map<net::link_kind, int> result;
  for (const auto& l : what.links) ++result[l.kind];
  return result;
}

template <class Error, class F>
std::string refusal(F make) {
  try {
    make();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

const char* const families[] = {"hxb:3x4x2",
                                "hxb:1x5x1",
                                "cube:base=3,n=3",
                                "torus:4x3x5",
                                "torus:2x6",
                                "mesh:3x4",
                                "hypercube:5",
                                "crossbar:7",
                                "fattree:4x3x2",
                                "fattree:4x4x3,over=2",
                                "fattree:6x4x2,over=3x2",
                                "dragonfly:p=2,a=4,h=2",
                                "dragonfly:p=1,a=4,h=2,g=4",
                                "hypercube:0",
                                "dragonfly:p=3,a=1,h=1"};

// Oracle: breadth-first search. Routes by dimension, up-down routes and routes by groups are shortest. On a dragonfly, a
// direct global link is used, although two global hops might need no local hop. Only an upper bound holds on a dragonfly.
TEST(network, ways_are_connected_and_short) {
  for (const char* text : families) {
    const auto what = network_by_text(text);
    check_ways(what);
    for (int from = 0; from < what.pus; ++from) {
      const auto expected = distances(what, from);
      for (int to = 0; to < what.pus; ++to) {
        const auto length = static_cast<int>(what.route(from, to).size());
        if (what.kind == net::topology::dragonfly) {
          ASSERT_LE(length, 5);
          ASSERT_GE(length, expected[static_cast<std::size_t>(to)]);
        } else {
          ASSERT_EQ(length, expected[static_cast<std::size_t>(to)]) << text << ": " << from << " to " << to;
        }
      }
    }
  }
}

TEST(network, ways_by_a_random_pu_are_connected) {
  for (const std::string text : families)
    if (text.find("hypercube:0") == std::string::npos) check_ways(network_by_text(text + ",route=valiant"));
  // Oracle: on a ring of 16, a random route has 4 + 4 hops on average, not 4.
  const auto ring = network_by_text("torus:64,route=valiant,seed=3");
  double hops = 0;
  for (int from = 0; from < 64; ++from)
    for (int to = 0; to < 64; ++to) hops += static_cast<double>(ring.route(from, to).size());
  EXPECT_NEAR(hops / 64 / 63 - 2, 32, 1.5);
}

// Oracle: counted by hand.
TEST(network, has_its_links) {
  using kind = net::link_kind;
  auto count = count_links(network_by_text("hxb:8x8x16"));
  EXPECT_EQ(count[kind::crossbar_in], 3 * 1024);
  EXPECT_EQ(count[kind::crossbar_out], 3 * 1024);
  EXPECT_EQ(network_by_text("hxb:8x8x16").vertices, 2 * 1024 + 128 + 128 + 64);
  EXPECT_EQ(count_links(network_by_text("torus:4x4x4"))[kind::channel], 6 * 64);
  EXPECT_EQ(count_links(network_by_text("mesh:3x4"))[kind::channel], 2 * (2 * 4 + 3 * 3));
  EXPECT_EQ(count_links(network_by_text("hypercube:10"))[kind::channel], 10 * 1024);
  count = count_links(network_by_text("fattree:16x8x4,over=4x2"));
  EXPECT_EQ(count[kind::injection], 512);
  // 32 leaves with 4 parents each; each group of 4 spines of 8 leaves has 8 / 2 parents
  EXPECT_EQ(count[kind::up], 32 * 4 + 16 * 4);
  count = count_links(network_by_text("dragonfly:p=2,a=4,h=2"));
  EXPECT_EQ(count[kind::local], 9 * 4 * 3);
  EXPECT_EQ(count[kind::global], 9 * 8);
  EXPECT_EQ(network_by_text("dragonfly:p=2,a=4,h=2").pus, 72);
}

// Oracle: the example of [Itakura]. The route from PU(0,0,0) to PU(0,3,2) passes the exchange switch of PU(0,3,0), or of
// PU(0,0,2) in the other order.
TEST(network, corrects_dimensions_in_order) {
  const auto names = [](const network& what, int from, int to) {
    std::string text;
    for (const int l : what.route(from, to)) text += what.vertex_name(what.links[static_cast<std::size_t>(l)].to) + " ";
    return text;
  };
  const int to = 3 * 16 + 2;
  EXPECT_EQ(names(network_by_text("hxb:8x8x16"), 0, to), "EX(0,0,0) XB(0,*,0) EX(0,3,0) XB(0,3,*) EX(0,3,2) PU(0,3,2) ");
  EXPECT_EQ(names(network_by_text("hxb:8x8x16,order=zyx"), 0, to),
            "EX(0,0,0) XB(0,0,*) EX(0,0,2) XB(0,*,2) EX(0,3,2) PU(0,3,2) ");
  EXPECT_EQ(names(network_by_text("hypercube:3"), 0, 6), "R(0,0,0) R(0,1,0) R(1,1,0) PU(1,1,0) ");
  EXPECT_EQ(names(network_by_text("torus:1x5"), 0, 4), "R(0,0) R(0,4) PU(0,4) ");
}

TEST(network, reads_units_and_figures) {
  const auto what =
      network_by_text("fattree:4x4,rate=1.6Gbit/s,pu-rate=400MB/s,top-rate=1GB/s,latency=100ns,startup=2us,channels=2");
  EXPECT_DOUBLE_EQ(what.links.front().rate, 400e6);
  EXPECT_DOUBLE_EQ(what.links.back().rate, 1e9);
  EXPECT_DOUBLE_EQ(what.links.back().latency, 1e-7);
  EXPECT_EQ(what.links.back().channels, 2);
  EXPECT_DOUBLE_EQ(what.startup, 2e-6);
  EXPECT_DOUBLE_EQ(network_by_text("hxb:4x4,rate=1.6Gbit/s").links.front().rate, 200e6);
}

TEST(network, refuses_texts_that_describe_none) {
  for (const char* text : {"",
                           "hxb",
                           "hxb:",
                           "hxb:8x",
                           "hxb:8x0",
                           "hxb:-1",
                           "hxb:8x8x8x",
                           "hbx:8x8",
                           "hxb:8x8,rate=0MB/s",
                           "hxb:8x8,rate=5",
                           "hxb:8x8,rate=nanMB/s",
                           "hxb:8x8,rate=infMB/s",
                           "hxb:8x8,rate=1e308GB/s",
                           "hxb:8x8,startup=-1us",
                           "hxb:8x8,order=xx",
                           "hxb:8x8,order=xyz",
                           "crossbar:4,order=x",
                           "hxb:8x8,foo=1",
                           "hxb:8x8,rate",
                           "hxb:8x8,seed=1,seed=2",
                           "torus:2000000",
                           "torus:1024x1024x1024",
                           "hypercube:21",
                           "hypercube:20",
                           "cube:base=8",
                           "cube:base=1,n=3",
                           "fattree:4x4,over=3",
                           "fattree:4x4x4,over=2x2x2",
                           "dragonfly:p=2,a=4,h=2,g=10",
                           "dragonfly:p=2,a=4",
                           "dragonfly:p=1,a=1024,h=1,g=1024",
                           "dragonfly:p=1,a=1024,h=1024,g=1000",
                           "hxb:8x8,route=adaptive",
                           "hxb:8x8,channels=0"})
    EXPECT_NE(refusal<usage_error>([&] { network_by_text(text); }), "") << text;
  const auto both = refusal<usage_error>([] { network_by_text("hxb:8x8,rate=0MB/s,startpu=5us"); });
  EXPECT_NE(both.find("positive rate"), std::string::npos) << both;
  EXPECT_NE(both.find("did you mean 'startup'"), std::string::npos) << both;
}

std::string graph(const std::string& rest) { return R"({"schema": "osteon.network/1", )" + rest + "}"; }

const char* const two_leaves =
    R"("routers": [{"name": "core"}, {"name": "a", "parent": "core"}, {"name": "b", "parent": "core"}],
  "pus": [{"router": "a", "count": 3}, {"router": "b", "count": 2}])";

// Oracle: determined by hand. There are three links from the PU of one leaf over the core to the PU of another leaf.
TEST(network, of_routers_and_links) {
  for (const char* routing : {"minimal", "up-down"}) {
    const auto what = net::parse_graph(graph(std::string(two_leaves) + ", \"routing\": \"" + routing + "\""), "here");
    EXPECT_EQ(what.pus, 5);
    check_ways(what);
    EXPECT_EQ(what.route(0, 4).size(), 4u);
    EXPECT_EQ(what.route(0, 1).size(), 2u);
    EXPECT_EQ(what.link_name(what.route(0, 4)[1]), "a -> core");
  }
  // In a ring of five routers, up-down routes must not go round in the forbidden order. Minimal routes may.
  std::string ring = R"("routers": [{"name": "0"}, {"name": "1"}, {"name": "2"}, {"name": "3"}, {"name": "4"}], "links": [)";
  for (int i = 0; i < 5; ++i)
    ring.append(i > 0 ? "," : "")
        .append(R"({"from": ")")
        .append(std::to_string(i))
        .append(R"(", "to": ")")
        .append(std::to_string((i + 1) % 5))
        .append("\"}");
  ring += R"(], "pus": [{"router": "0"}, {"router": "1"}, {"router": "2"}, {"router": "3"}, {"router": "4"}])";
  const auto minimal = net::parse_graph(graph(ring), "ring");
  const auto legal = net::parse_graph(graph(ring + R"(, "routing": "up-down")"), "ring");
  check_ways(minimal);
  check_ways(legal);
  EXPECT_EQ(minimal.route(2, 3).size(), 3u);
  EXPECT_EQ(minimal.route(1, 3).size(), 4u);
  // Routers 2 and 3 are two hops from router 0, by router 1 and by router 4. The route from 1 to 3 by 2 goes down twice,
  // which is legal.
  EXPECT_EQ(legal.route(1, 3).size(), 4u);
  // The route from 4 to 2 by 3 goes down to 3 and then up to 2 (a smaller number of the same level), which is illegal. The
  // legal route therefore goes round by 0 and 1.
  EXPECT_EQ(minimal.route(4, 2).size(), 4u);
  EXPECT_EQ(legal.route(4, 2).size(), 5u);
}

TEST(network, refuses_graphs_that_are_none) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "object"},
      {"{", "JSON"},
      {R"({"routers": [{"name": "a"}], "pus": [{"router": "a"}]})", "schema"},
      {R"("routers": [], "pus": [])", "at least one"},
      {R"("routers": [{"name": "a"}, {"name": "a"}], "pus": [{"router": "a"}])", "duplicate name"},
      {R"("routers": [{"name": "a"}], "pus": [{"router": "aa"}])", "did you mean 'a'"},
      {R"("routers": [{"name": "a"}, {"name": "b"}], "pus": [{"router": "a"}, {"router": "b"}])",
       "no route from router 'a' to 'b'"},
      {R"("routers": [{"name": "a"}, {"name": "b"}], "pus": [{"router": "a"}, {"router": "b"}],
          "links": [{"from": "a", "to": "b", "one_way": true}])",
       "no route from router 'b' to 'a'"},
      {R"("routers": [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}], "pus": [{"router": "a"}])",
       "cyclic parents: a -> b -> a"},
      {R"("routers": [{"name": "a", "parent": "a"}], "pus": [{"router": "a"}])", "cyclic"},
      {R"("routers": [{"name": "a"}], "pus": [{"router": "a"}], "links": [{"from": "a", "to": "a"}])", "itself"},
      {R"("routers": [{"name": "a"}, {"name": "b"}], "pus": [{"router": "a"}],
          "links": [{"from": "a", "to": "b", "bytes_per_second": 0}])",
       "> 0"},
      {R"("routers": [{"name": "a"}], "pus": [{"router": "a", "count": 2000000}])", "an integer"},
      {R"("routers": [{"name": "a"}], "pus": [{"router": "a"}], "bandwidth": 1)", "unknown key"},
      {R"("routers": [{"name": "a"}], "pus": [{"router": "a"}], "routing": "magic")", "up-down"}};
  for (const auto& [text, expected] : cases) {
    const std::string whole = text[0] == '"' ? graph(text) : text;
    const auto words = refusal<data_error>([&] { net::parse_graph(whole, "here"); });
    EXPECT_NE(words.find(expected), std::string::npos) << whole << "\n" << words;
  }
}

TEST(network, places_ranks_on_pus) {
  const auto what = network_by_text("hxb:2x2");
  EXPECT_EQ(net::place_ranks(what, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(net::place_ranks(what, 3, std::vector<int>{3, 0, 3}), (std::vector<int>{3, 0, 3}));
  EXPECT_NE(refusal<usage_error>([&] { net::place_ranks(what, 5); }).find("4 PUs"), std::string::npos);
  EXPECT_THROW(net::place_ranks(what, 2, std::vector<int>{0, 4}), usage_error);
  EXPECT_THROW(net::place_ranks(what, 2, std::vector<int>{0}), usage_error);
  EXPECT_THROW(what.route(0, 4), usage_error);
}

}  // namespace network_test
