#pragma once
/// @file
/// Routing tables of a graph of routers: shortest ways, or shortest ways that first go up and then down.
#include <osteon/net/networks/network.hpp>
#include <vector>

namespace osteon::net {

/// Next links by router and destination. Where several are equally good, the destination PU's number chooses, so that PUs
/// of a router are reached by different ways.
/// @cost O(routers^2) memory, O(routers * links) time
class graph_routing {
 public:
  /// @param edges links between routers 0 ... routers - 1
  graph_routing(int routers, std::vector<link> edges);

  void route_minimal();
  /// A link goes up if it leads to a router of a lower level, or of the same level and a smaller number. Since the order is
  /// total, ways up, then down, cannot wait for each other in a circle.
  /// @param level of each router; empty: distance from router 0, along links of either direction
  /// @cite [Schroeder1991] (Autonet)
  void route_up_down(std::vector<int> level);

  bool reaches(int from, int to) const { return from == to || hops_[index(to, 2 * from)] < unreachable; }
  /// Links of the longest way between two routers.
  int most_hops() const;
  /// Append the links, numbered from `first_link` on, of the way that PU `pu` of router `to` is reached by.
  void append_route(int from, int to, int pu, int first_link, std::vector<int>& path) const;

 private:
  static constexpr unsigned short unreachable = 0xffff;
  // A state is 2 * router + (whether the way has gone down). Minimal routing never goes down.
  std::size_t index(int to, int state) const {
    return static_cast<std::size_t>(to) * 2 * static_cast<std::size_t>(routers_) + static_cast<std::size_t>(state);
  }
  int after(int state, int edge) const;  // -1: not allowed
  void search();

  int routers_;
  bool up_down_ = false;
  std::vector<link> edges_;
  std::vector<std::vector<int>> out_, in_;  // edges by router
  std::vector<char> up_;                    // by edge
  std::vector<unsigned short> hops_;        // to the destination, by destination and state
};

}  // namespace osteon::net
