#pragma once
/// @file
/// Routing tables for a graph of routers. Routes are shortest routes, or shortest up-down routes.
#include <osteon/net/networks/network.hpp>
#include <vector>

namespace osteon::net {

/// Next link for each router and each destination. The number of the destination PU selects one of several equivalent links.
/// Routes to different PUs of a router therefore differ.
/// @cost O(routers^2) memory, O(routers * links) time
class graph_routing {
 public:
  /// @param edges links between the routers 0 to routers - 1
  graph_routing(int routers, std::vector<link> edges);

  void route_minimal();
  /// A link is upward if the link ends at a router with a lower level. Between routers with the same level, a link is upward
  /// if the link ends at the smaller number. This order of the routers is total. Up-down routes therefore have no cyclic
  /// dependencies.
  /// @param level level of each router; empty: the level is the distance from router 0 along links of either direction
  /// @cite [Schroeder1991] (Autonet)
  void route_up_down(std::vector<int> level);

  bool reaches(int from, int to) const { return from == to || hops_[index(to, 2 * from)] < unreachable; }
  /// Number of links of the longest route between two routers.
  int most_hops() const;
  /// Append the links of the route to PU `pu` of router `to`. Links are numbered from `first_link`.
  void append_route(int from, int to, int pu, int first_link, std::vector<int>& path) const;

 private:
  static constexpr unsigned short unreachable = 0xffff;
  // The state of a route is 2 * router, plus 1 after a downward link. In minimal routing, no links are downward.
  std::size_t index(int to, int state) const {
    return static_cast<std::size_t>(to) * 2 * static_cast<std::size_t>(routers_) + static_cast<std::size_t>(state);
  }
  int after(int state, int edge) const;  // next state; -1: the edge is not allowed
  void search();

  int routers_;
  bool up_down_ = false;
  std::vector<link> edges_;
  std::vector<std::vector<int>> out_, in_;  // edges of each router
  std::vector<char> up_;                    // for each edge: 1 if upward
  std::vector<unsigned short> hops_;        // number of hops to the destination, for each destination and state
};

}  // namespace osteon::net
