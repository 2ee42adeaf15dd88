#pragma once
/// @file
/// Routing tables of a graph of routers: shortest routes, or shortest up-down routes.
#include <osteon/net/networks/network.hpp>
#include <vector>

namespace osteon::net {

/// Next links by router and destination. The number of the destination PU selects one of several equivalent links. Therefore
/// routes to different PUs of a router differ.
/// @cost O(routers^2) memory, O(routers * links) time
class graph_routing {
 public:
  /// @param edges links between routers 0 ... routers - 1
  graph_routing(int routers, std::vector<link> edges);

  void route_minimal();
  /// A link is upward if it ends at a router with a lower level, or at a router with the same level and a smaller number.
  /// This order of the routers is total. Therefore up-down routes have no cyclic dependencies.
  /// @param level level of each router; empty: distance from router 0, along links of either direction
  /// @cite [Schroeder1991] (Autonet)
  void route_up_down(std::vector<int> level);

  bool reaches(int from, int to) const { return from == to || hops_[index(to, 2 * from)] < unreachable; }
  /// Number of links of the longest route between two routers.
  int most_hops() const;
  /// Append the links, numbered from `first_link`, of the route to PU `pu` of router `to`.
  void append_route(int from, int to, int pu, int first_link, std::vector<int>& path) const;

 private:
  static constexpr unsigned short unreachable = 0xffff;
  // A state is 2 * router, plus 1 after a downward link. In minimal routing, no link is downward.
  std::size_t index(int to, int state) const {
    return static_cast<std::size_t>(to) * 2 * static_cast<std::size_t>(routers_) + static_cast<std::size_t>(state);
  }
  int after(int state, int edge) const;  // -1: not allowed
  void search();

  int routers_;
  bool up_down_ = false;
  std::vector<link> edges_;
  std::vector<std::vector<int>> out_, in_;  // edges of each router
  std::vector<char> up_;                    // for each edge: 1 if upward
  std::vector<unsigned short> hops_;        // number of hops to the destination, by destination and state
};

}  // namespace osteon::net
