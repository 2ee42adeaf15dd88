#pragma once
/// @file
/// Description of networks by a short text.
#include <osteon/net/networks/network.hpp>

namespace osteon::net {

/// A parsed description of a network. The defaults are the values in [Itakura].
struct network_request {
  std::string text;
  topology kind = topology::crossbar;
  std::vector<int> shape;             ///< network::shape
  std::vector<int> oversubscription;  ///< fat tree: number of children per parent, for each level except the last level
  int global_links = 0;               ///< dragonfly: number of global links of each router
  std::vector<int> order;
  bool minimal = true;
  std::uint64_t seed = 1;
  double rate = 200e6;  ///< rate of a link in bytes/s
  /// rate of injection and ejection; rate of top-level or global links, in bytes/s
  double pu_rate = 200e6, top_rate = 200e6;
  double startup = 5e-6, latency = 0;  ///< start-up time per message in s; latency per link in s
  int channels = 1;

  std::int64_t pus() const;
};

/// Parse the description of a network.
///
/// | text | network |
/// |---|---|
/// | `hxb:8x8x16` | hyper-crossbar: a crossbar for each line of PUs along each dimension |
/// | `cube:base=8,n=3` | hyper-crossbar with equal sizes: base-m n-cube |
/// | `torus:8x8x16`, `mesh:8x8x16` | channels between neighbours; a torus is routed in the shorter direction |
/// | `hypercube:10` | 2^10 PUs, e-cube routing: the lowest bit first |
/// | `crossbar:64` | one crossbar |
/// | `fattree:16x8x4` | 16 PUs a leaf switch, 8 leaves below the next level, ...; `over=4` or `over=4x2`: oversubscription |
/// | `dragonfly:p=4,a=8,h=4` | p PUs a router, a routers a group, h global links a router; `g=` groups (default a h + 1) |
///
/// The options are separated by commas. The options are `order=zyx` or `order=210` (order of the dimensions in routing; x or
/// 0 is the first dimension in the text), `route=minimal|valiant`, `seed=1`, `rate=200MB/s`, `pu-rate=`, `top-rate=`,
/// `startup=5us`, `latency=100ns` (per link), `channels=1`.
/// @throws usage_error with all faults
network_request parse_network(const std::string& text);

/// Create the network. @throws usage_error if the network has more than 2^20 PUs or 2^24 links
network make_network(const network_request& request);

/// Read a network of routers and links from a JSON text. docs/reference/network.md describes the keys.
/// @throws data_error with all faults, such as missing or unknown keys, cyclic parents, invalid rates, and unreachable PUs
network parse_graph(const std::string& json_text, const std::string& source);

/// Parse the description of a network, and create this network.
inline network network_by_text(const std::string& text) { return make_network(parse_network(text)); }

/// Parse "200MB/s" or "1.6Gbit/s" as bytes/s, and "5us" as seconds. @return a negative number if the text is invalid
double parse_rate(const std::string& text);
double parse_time(const std::string& text);

// Networks of each family. make_network calls these functions.
network make_hyper_crossbar(const network_request& request);
network make_grid(const network_request& request);      ///< torus, mesh, hypercube
network make_fat_tree(const network_request& request);  ///< a crossbar is also a fat tree
network make_dragonfly(const network_request& request);

}  // namespace osteon::net
