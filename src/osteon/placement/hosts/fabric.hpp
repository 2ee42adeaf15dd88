#pragma once
/// @file
/// The network between hosts as directed links, and the load of the links in an exchange.
#include <cstdint>
#include <functional>
#include <osteon/placement/graph/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

/// Hosts, directed links, and a fixed route between any two hosts.
class fabric {
 public:
  /// Appends the links of the route from one host to another.
  using route_function = std::function<void(int from, int to, std::vector<int>& links)>;

  using name_function = std::function<std::string(int link)>;

  /// @param rate rate of each link in bytes/s (or another unit, equal for all links)
  fabric(std::string name, int hosts, std::vector<double> rate, route_function route, name_function link_name);

  const std::string& name() const { return name_; }
  int hosts() const { return hosts_; }
  std::span<const double> rate() const { return rate_; }
  /// Links of the route from one host to another. The route is empty for equal hosts. `buffer` is storage for the result.
  std::span<const int> route(int from, int to, std::vector<int>& buffer) const;
  std::string link_name(int link) const { return link_name_(link); }

 private:
  std::string name_;
  int hosts_;
  std::vector<double> rate_;
  route_function route_;
  name_function link_name_;
  std::vector<std::uint32_t> begin_;  // begin of the routes of all pairs, stored if there are few pairs
  std::vector<int> links_;
};

/// Non-blocking network: each host has an outgoing and an incoming link.
/// @param rate rate of each host per direction
fabric host_links_only(std::span<const double> rate, fabric::name_function link_name);

/// Load of the network by an exchange.
struct network_load {
  double volume = 0;        ///< sum over messages of the number of bytes times the number of links of the route
  double hottest_time = 0;  ///< time of the slowest link; the unit is s if rates are in bytes/s
  double mean_time = 0;     ///< mean over all links
  int hottest_link = -1;
  double score() const { return hottest_time + mean_time; }  ///< criterion for the choice of placements; smaller is better
};

/// @param host host of each vertex
network_load load_of(const graph& g, std::span<const int> host, const fabric& net);

/// Number of links between hosts, shape (hosts, hosts).
std::vector<float> distances(const fabric& net);

/// Exchange vertices between hosts to reduce the load of the hottest links. Simulated annealing minimises the 8-norm of the
/// link times, plus the volume with a small weight.
/// @param kind only vertices of equal kind are exchanged; empty: all vertices have the same kind
/// @param host host of each vertex; replaced by the mapping of the lowest score
/// @return load of the result; the score never increases
/// @cost O(degree times links of a route) per proposal
network_load cool_links(const graph& g, std::span<const int> kind, std::vector<int>& host, const fabric& net,
                        std::int64_t proposals, std::uint64_t seed);

}  // namespace osteon::placement
