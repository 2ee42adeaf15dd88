#pragma once
/// @file
/// The network between hosts as directed links, and the load of these links in an exchange.
#include <cstdint>
#include <functional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

/// Hosts, directed links, and a fixed route between each pair of hosts.
class fabric {
 public:
  /// Appends the links of the route between two hosts.
  using route_function = std::function<void(int from, int to, std::vector<int>& links)>;

  using name_function = std::function<std::string(int link)>;

  /// @param rate rate of each link in bytes/s, or in another unit that is equal for all links
  fabric(std::string name, int hosts, std::vector<double> rate, route_function route, name_function link_name);

  const std::string& name() const { return name_; }
  int hosts() const { return hosts_; }
  std::span<const double> rate() const { return rate_; }
  /// Links of the route between two hosts. If both hosts are equal, the route is empty. `buffer` is memory for the result.
  std::span<const int> route(int from, int to, std::vector<int>& buffer) const;
  std::string link_name(int link) const { return link_name_(link); }

 private:
  std::string name_;
  int hosts_;
  std::vector<double> rate_;
  route_function route_;
  name_function link_name_;
  std::vector<std::uint32_t> begin_;  // begin of the routes of all pairs; stored only for small numbers of pairs
  std::vector<int> links_;
};

/// Non-blocking network in which each host has an outgoing and an incoming link.
/// @param rate rate of each host in each direction
fabric host_links_only(std::span<const double> rate, fabric::name_function link_name);

/// Load of the network by an exchange.
struct network_load {
  double volume = 0;        ///< sum over messages of bytes times number of links of the route
  double hottest_time = 0;  ///< time of the slowest link; in s if rates are in bytes/s
  double mean_time = 0;     ///< mean time over all links
  int hottest_link = -1;
  double score() const {
    return hottest_time + mean_time;
  }  ///< criterion for the selection of placements; smaller values
     ///< are better
};

/// @param host host of each vertex
network_load load_of(const graph& g, std::span<const int> host, const fabric& net);

/// Number of links on the route between two hosts, shape (hosts, hosts).
std::vector<float> distances(const fabric& net);

/// Exchange vertices between hosts. The exchanges reduce the load of the busiest links. Simulated annealing minimises the
/// 8-norm of the link times plus a small multiple of the volume.
/// @param kind only vertices of equal kind are exchanged; empty: all vertices have the same kind
/// @param host host of each vertex; the function replaces this mapping by the mapping with the lowest score
/// @return load of the resulting mapping; the score never increases
/// @cost O(degree times links of a route) per proposal
network_load cool_links(const graph& g, std::span<const int> kind, std::vector<int>& host, const fabric& net,
                        std::int64_t proposals, std::uint64_t seed);

}  // namespace osteon::placement
