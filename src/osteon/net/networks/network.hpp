#pragma once
/// @file
/// A network is a value that consists of vertices, directed links between vertices, and a routing function. Every port with
/// possible contention is a link: injection and ejection of a PU, ports of an exchange switch, inputs and outputs of a
/// crossbar, channels between routers. Switches are internally non-blocking.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace osteon::net {

enum class link_kind : std::uint8_t {
  injection,     ///< PU to its switch
  ejection,      ///< switch to PU
  crossbar_in,   ///< exchange switch to crossbar
  crossbar_out,  ///< crossbar to exchange switch
  channel,       ///< between routers
  up,            ///< fat tree: away from the PUs
  down,          ///< fat tree: towards the PUs
  local,         ///< dragonfly: inside a group
  global,        ///< dragonfly: between groups
};
/// Name of a link kind, for example "injection" or "crossbar in".
std::string name_of(link_kind kind);

/// One direction of a cable, or a port.
struct link {
  int from = 0, to = 0;  ///< vertices
  link_kind kind = link_kind::channel;
  int channels = 1;    ///< number of virtual channels: maximum number of concurrent messages, which share the rate
  double rate = 0;     ///< bytes per second
  double latency = 0;  ///< s
};

enum class topology : std::uint8_t { hyper_crossbar, torus, mesh, hypercube, crossbar, fat_tree, dragonfly, graph };

/// Vertices 0 ... pus - 1 are the PUs. Each PU has one injection and one ejection. The other vertices are switches.
struct network {
  std::string name;
  topology kind = topology::graph;
  int pus = 0;
  int vertices = 0;
  std::vector<link> links;
  double startup = 0;  ///< processor time in s per sent message
  /// Append the links of the route from one PU to another, from injection to ejection. If the PUs are equal, no link is
  /// appended. The function is thread-safe.
  std::function<void(int from, int to, std::vector<int>& path)> append_route;
  /// Append a class in 0 ... classes - 1 for each link of a route. The class is the virtual channel of the message, limited
  /// by the number of channels of the link. If possible, `classes` channels avoid cycles of waiting messages. If the
  /// function is empty, all classes are 0.
  std::function<void(int from, int to, std::span<const int> route, std::vector<int>& class_of_link)> append_classes;
  int classes = 1;
  std::function<std::string(int vertex)> vertex_name;

  // The following members are for proofs and pictures.
  std::vector<int> shape;  ///< PUs along each dimension, the last one fastest; fat tree: children by level; dragonfly: PUs
                           ///< of a router, routers of a group, groups
  std::vector<int> order;  ///< routing order of the dimensions; empty: routing is not by dimension
  bool minimal = true;     ///< false: routed via a random PU

  /// Links of the route from one PU to another. @throws usage_error if a PU does not exist
  std::vector<int> route(int from, int to) const;
  /// Name of a link, for example "EX(0,1) -> XB x(1)".
  std::string link_name(int which) const;
};

/// Change the routing to Valiant routing. Each route passes an intermediate PU, which is selected by a hash of (seed, from,
/// to).
/// @cite [ValiantBrebner1981]
void route_by_random_pu(network& net, std::uint64_t seed);

/// Return the PU of each rank. If `places` is empty, rank r is on PU r.
/// @throws usage_error if there are more ranks than PUs, or a place is missing or not a PU
std::vector<int> place_ranks(const network& net, int ranks, std::span<const int> places = {});

}  // namespace osteon::net
