#pragma once
/// @file
/// Lattices of PUs and their ports. Several families of networks use these lattices.
#include <osteon/net/networks/network_request.hpp>
#include <utility>

namespace osteon::net {

/// Conversion between PU numbers and coordinates. The last dimension varies fastest.
struct lattice {
  int pus = 1;
  std::vector<int> size, stride;  // size and stride of each dimension

  explicit lattice(std::vector<int> shape) : size(std::move(shape)), stride(size.size()) {
    for (std::size_t d = size.size(); d-- > 0; pus *= size[d]) stride[d] = pus;
  }

  int coordinate(int pu, std::size_t d) const { return pu / stride[d] % size[d]; }

  static constexpr auto none = static_cast<std::size_t>(-1);
  /// Coordinates as text, for example "0,3,1". A star replaces the coordinate of the dimension `without`.
  std::string coordinates(int pu, std::size_t without = none) const {
    std::string text;
    for (std::size_t d = 0; d < size.size(); ++d)
      text.append(d > 0 ? "," : "").append(d == without ? "*" : std::to_string(coordinate(pu, d)));
    return text;
  }
};

/// Create a network that consists of the PUs 0 to pus - 1 and their ports. The injection of PU q is link q, and the ejection
/// of PU q is link pus + q.
/// @param switches number of switches; the vertices of the switches follow the vertices of the PUs
/// @param switch_of function that returns the switch of PU q
template <class Switch>
network pus_and_ports(const network_request& request, int switches, Switch switch_of) {
  network made;
  made.pus = static_cast<int>(request.pus());
  made.vertices = made.pus + switches;
  for (const bool in : {true, false})
    for (int q = 0; q < made.pus; ++q)
      made.links.push_back({in ? q : switch_of(q), in ? switch_of(q) : q, in ? link_kind::injection : link_kind::ejection,
                            request.channels, request.pu_rate, request.latency});
  return made;
}

}  // namespace osteon::net
