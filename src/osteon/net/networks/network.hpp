#pragma once
/// @file
/// A network is a value. A network consists of vertices, directed links between vertices, and a routing function. Every port
/// with possible contention is a link. Such ports are the injection and ejection of a PU, ports of an exchange switch,
/// inputs and outputs of a crossbar, and channels between routers. Switches are internally non-blocking.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace osteon::net {

enum class link_kind : std::uint8_t {
  injection,     ///< from a PU to its switch
  ejection,      ///< from a switch to a PU
  crossbar_in,   ///< from an exchange switch to a crossbar
  crossbar_out,  ///< from a crossbar to an exchange switch
  channel,       ///< between routers
  up,            ///< fat tree: link away from the PUs
  down,          ///< fat tree: link towards the PUs
  local,         ///< dragonfly: link inside a group
  global,        ///< dragonfly: link between groups
};
/// Name of a link kind, for example "injection" or "crossbar in".
std::string name_of(link_kind kind);

/// One direction of a cable, or a port.
struct link {
  int from = 0, to = 0;  ///< vertices at the two ends
  link_kind kind = link_kind::channel;
  /// number of virtual channels, which is the maximum number of concurrent messages; these messages divide the rate
  int channels = 1;
  double rate = 0;     ///< rate in bytes/s
  double latency = 0;  ///< s
};

enum class topology : std::uint8_t { hyper_crossbar, torus, mesh, hypercube, crossbar, fat_tree, dragonfly, graph };

/// Vertices 0 to pus - 1 are the PUs. Each PU has one injection and one ejection. The other vertices are switches.
struct network {
  std::string name;
  topology kind = topology::graph;
  int pus = 0;
  int vertices = 0;
  std::vector<link> links;
  double startup = 0;  ///< processor time in s for each sent message
  /// Append the links of the route between two PUs, from injection to ejection. If the two PUs are equal, the function
  /// appends no links. The function is thread-safe.
  std::function<void(int from, int to, std::vector<int>& path)> append_route;
  /// Append a class from 0 to classes - 1 for each link of a route. The class is the virtual channel of the message. The
  /// number of channels of the link limits the class. If possible, `classes` channels avoid cycles of waiting messages. If
  /// the function is empty, all classes are 0.
  std::function<void(int from, int to, std::span<const int> route, std::vector<int>& class_of_link)> append_classes;
  int classes = 1;
  std::function<std::string(int vertex)> vertex_name;

  // Proofs and pictures use the following members.
  std::vector<int> shape;  ///< PUs along each dimension, the last one fastest; fat tree: children by level; dragonfly: PUs
                           ///< of a router, routers of a group, groups
  std::vector<int> order;  ///< order of the dimensions in routing; empty: the network is not routed by dimensions
  bool minimal = true;     ///< false: messages pass a random PU

  /// Links of the route between two PUs. @throws usage_error if a PU does not exist
  std::vector<int> route(int from, int to) const;
  /// Name of a link, for example "EX(0,1) -> XB x(1)".
  std::string link_name(int which) const;
};

/// Change the routing of the network to Valiant routing. Each route passes an intermediate PU. A hash of (seed, from, to)
/// selects this PU.
/// @cite [ValiantBrebner1981]
void route_by_random_pu(network& net, std::uint64_t seed);

/// PU of each rank. If `places` is empty, rank r is on PU r.
/// @throws usage_error if there are more ranks than PUs, or if a place is missing or is not a PU
std::vector<int> place_ranks(const network& net, int ranks, std::span<const int> places = {});

}  // namespace osteon::net
