#pragma once
/// @file
/// Positions of the vertices of a network in a picture.
#include <app/figures/svg.hpp>
#include <osteon/net/network.hpp>
#include <vector>

namespace osteon::app {

struct layout {
  std::vector<point> vertex;
  std::vector<point> bar_offset;  ///< by vertex: of a crossbar's bar from the line of its switches
  std::vector<bool> hidden;       ///< by vertex: drawn as part of a PU, or as a bar
  std::vector<int> size, stride;  ///< of a torus, otherwise empty
  int pus = 0;

  bool drawn(int v) const { return !hidden[static_cast<std::size_t>(v)]; }
  /// Whether a channel of a torus leads round its edge.
  bool wraps(int from, int to) const;
  /// From the first end of such a channel outwards.
  point towards(int from, int to) const;
};

/// Grids are drawn as grids, the third dimension to the back; fat trees level above level, dragonflies and graphs in
/// circles.
layout lay_out(const net::network& what);

}  // namespace osteon::app
