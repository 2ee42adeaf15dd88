#pragma once
/// @file
/// A network is a value: vertices, directed links between them, and a routing. Every port that messages can contend for
/// is a link: a PU's injection and ejection, an exchange switch's ports, a crossbar's inputs and outputs, channels between
/// routers. Switches do not block inside.
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
  up,            ///< of a fat tree, away from the PUs
  down,
  local,   ///< inside a group of a dragonfly
  global,  ///< between groups
};
/// "injection", "crossbar in", ...
std::string name_of(link_kind kind);

/// One direction of a cable, or a port.
struct link {
  int from = 0, to = 0;  ///< vertices
  link_kind kind = link_kind::channel;
  int channels = 1;    ///< virtual channels: messages that may hold the link at a time; they share its rate
  double rate = 0;     ///< bytes per second
  double latency = 0;  ///< s
};

enum class topology : std::uint8_t { hyper_crossbar, torus, mesh, hypercube, crossbar, fat_tree, dragonfly, graph };

/// Vertices 0 ... pus - 1 are the PUs; each has one injection and one ejection. The others are switches.
struct network {
  std::string name;
  topology kind = topology::graph;
  int pus = 0;
  int vertices = 0;
  std::vector<link> links;
  double startup = 0;  ///< s that a PU spends on each message that it sends
  /// Append the links of the route from one PU to another, from injection to ejection; none if they are equal. Thread-safe.
  std::function<void(int from, int to, std::vector<int>& path)> append_route;
  /// Append a class for each link of such a route, 0 ... classes - 1: the virtual channel of the message if the link has as
  /// many. With `classes` channels there is no cycle of waiting messages, if possible. Empty: all are 0.
  std::function<void(int from, int to, std::span<const int> way, std::vector<int>& of)> append_classes;
  int classes = 1;
  std::function<std::string(int vertex)> vertex_name;

  // For proofs and pictures.
  std::vector<int> shape;  ///< PUs along each dimension, the last one fastest; fat tree: children by level; dragonfly: PUs
                           ///< of a router, routers of a group, groups
  std::vector<int> order;  ///< order of dimensions in routing; empty: not routed by dimension
  bool minimal = true;     ///< false: via a random PU

  /// Links of the route from one PU to another. @throws usage_error if one of them is not a PU
  std::vector<int> route(int from, int to) const;
  /// "EX(0,1) -> XB x(1)"
  std::string link_name(int which) const;
};

/// Valiant's routing: to a PU drawn by a hash of (seed, from, to), and on from there.
/// @cite [ValiantBrebner1981]
void route_by_random_pu(network& what, std::uint64_t seed);

/// PU of each rank: the identity if `places` is empty.
/// @throws usage_error if there are more ranks than PUs, or a place is missing or not a PU
std::vector<int> place_ranks(const network& where, int ranks, std::span<const int> places = {});

}  // namespace osteon::net
