#include <algorithm>
#include <app/figures/net_layout.hpp>
#include <cmath>
#include <map>

namespace osteon::app {

namespace {

using net::link_kind;
using net::topology;

constexpr double pi = 3.14159265358979323846;

// What a step along each dimension is in the picture: to the right, down, to the back; further dimensions put copies beside
// and below each other.
std::vector<point> steps_of(const std::vector<int>& size) {
  std::vector<int> used;
  for (std::size_t d = size.size(); d-- > 0;)
    if (size[d] > 1) used.push_back(static_cast<int>(d));
  std::vector<point> step(size.size());
  const auto of = [&](std::size_t k) { return size[static_cast<std::size_t>(used[k])]; };
  double wide = 52;
  double high = 52;
  for (std::size_t k = 0; k < used.size(); ++k) {
    point& s = step[static_cast<std::size_t>(used[k])];
    if (k == 0) {
      // With a third dimension there must be room between the columns for the ones behind.
      if (used.size() > 2) wide = std::max(52.0, 21.0 * of(2) + 18);
      s = {wide, 0};
      wide *= of(0);
    } else if (k == 1) {
      if (used.size() > 2) high = std::max(52.0, 15.0 * of(2) + 24);
      s = {0, high};
      high *= of(1);
    } else if (k == 2) {
      s = {21, -15};
      wide += 30;
      high += 30;
    } else if (k % 2 == 1) {
      s = {wide + 20, 0};
      wide = (wide + 20) * of(k);
    } else {
      s = {0, high + 20};
      high = (high + 20) * of(k);
    }
  }
  return step;
}

void grid(const net::network& what, layout& result) {
  const auto steps = steps_of(what.shape);
  std::vector<int> stride(what.shape.size());
  for (std::size_t d = stride.size(), s = 1; d-- > 0; s *= static_cast<std::size_t>(what.shape[d]))
    stride[d] = static_cast<int>(s);
  if (what.kind == topology::torus) {
    result.size = what.shape;
    result.stride = stride;
  }
  for (int q = 0; q < what.pus; ++q) {
    point p;
    for (std::size_t d = 0; d < stride.size(); ++d) {
      const int x = q / stride[d] % what.shape[d];
      p = {p.x + x * steps[d].x, p.y + x * steps[d].y};
    }
    result.vertex[static_cast<std::size_t>(q)] = result.vertex[static_cast<std::size_t>(q + what.pus)] = p;
  }
  std::fill(result.hidden.begin() + what.pus, result.hidden.end(), true);
  for (const net::link& l : what.links)
    if (l.kind == link_kind::crossbar_in) {
      const auto xb = static_cast<std::size_t>(l.to), ex = static_cast<std::size_t>(l.from);
      result.vertex[xb] = result.vertex[ex];
      // The bar lies to the side of its line: rows have it below, columns to the right, lines to the back above.
      int other = -1;
      for (const net::link& k : what.links)
        if (k.kind == link_kind::crossbar_out && k.from == l.to && k.to != l.from) {
          other = k.to;
          break;
        }
      if (other < 0 || result.bar_offset[xb].x != 0 || result.bar_offset[xb].y != 0) continue;
      const point a = result.vertex[ex], b = result.vertex[static_cast<std::size_t>(other)];
      result.bar_offset[xb] = a.y == b.y ? point{0, 11} : a.x == b.x ? point{11, 0} : point{-9, -7};
    }
}

// PUs at the bottom, each level of switches evenly above them.
void tree(const net::network& what, layout& result) {
  std::vector<int> level(static_cast<std::size_t>(what.vertices), 0);
  for (const net::link& l : what.links)
    if (l.kind == link_kind::injection || l.kind == link_kind::up)
      level[static_cast<std::size_t>(l.to)] = level[static_cast<std::size_t>(l.from)] + 1;
  std::map<int, int> count, next;
  for (const int l : level) ++count[l];
  const double wide = std::max(14.0 * what.pus, 30.0 * count[1]);
  for (std::size_t v = 0; v < level.size(); ++v)
    result.vertex[v] = {wide * (next[level[v]]++ + 0.5) / count[level[v]], -130.0 * level[v]};
}

// Switches in a circle (a dragonfly's group by group), their PUs around them.
void circle(const net::network& what, layout& result) {
  const int switches = what.vertices - what.pus;
  const int group = what.kind == topology::dragonfly ? what.shape[1] : 1;
  std::vector<int> of_switch(static_cast<std::size_t>(switches), 0), next(static_cast<std::size_t>(switches), 0);
  for (const net::link& l : what.links)
    if (l.kind == link_kind::injection) ++of_switch[static_cast<std::size_t>(l.to - what.pus)];
  const int most = std::max(1, *std::max_element(of_switch.begin(), of_switch.end()));
  const double radius = std::max(90.0, 14.0 * switches * std::min(most, 4) / pi / 2 + 10.0 * switches / group);
  std::vector<double> angle(static_cast<std::size_t>(switches));
  for (int s = 0; s < switches; ++s) {
    const double turns = (s + (s / group) * (group > 1 ? 1.0 : 0.0)) / (switches + (group > 1 ? switches / group : 0));
    angle[static_cast<std::size_t>(s)] = 2 * pi * turns - pi / 2;
    result.vertex[static_cast<std::size_t>(what.pus + s)] = {radius * std::cos(angle[static_cast<std::size_t>(s)]),
                                                             radius * std::sin(angle[static_cast<std::size_t>(s)])};
  }
  for (const net::link& l : what.links)
    if (l.kind == link_kind::injection) {
      const auto s = static_cast<std::size_t>(l.to - what.pus);
      const int k = next[s]++, row = k / 4, in_row = std::min(4, of_switch[s] - row * 4);
      const double r = radius + 24 + 12 * row, across = (k % 4 - (in_row - 1) / 2.0) * 12;
      const double c = std::cos(angle[s]), n = std::sin(angle[s]);
      result.vertex[static_cast<std::size_t>(l.from)] = {r * c - across * n, r * n + across * c};
    }
}

}  // namespace

bool layout::wraps(int from, int to) const {
  for (std::size_t d = 0; d < size.size(); ++d) {
    const int a = from % pus / stride[d] % size[d], b = to % pus / stride[d] % size[d];
    if (size[d] > 2 && std::abs(a - b) == size[d] - 1) return true;
  }
  return false;
}

point layout::towards(int from, int to) const {
  const point a = vertex[static_cast<std::size_t>(from)], b = vertex[static_cast<std::size_t>(to)];
  const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9), stub = 14;
  return {(a.x - b.x) / length * stub, (a.y - b.y) / length * stub};
}

layout lay_out(const net::network& what) {
  layout result;
  const auto n = static_cast<std::size_t>(what.vertices);
  result.pus = what.pus;
  result.vertex.resize(n);
  result.bar_offset.resize(n);
  result.hidden.resize(n, false);
  switch (what.kind) {
    case topology::hyper_crossbar:
    case topology::torus:
    case topology::mesh:
    case topology::hypercube:
      grid(what, result);
      break;
    case topology::fat_tree:
    case topology::crossbar:
      tree(what, result);
      break;
    case topology::dragonfly:
    case topology::graph:
      circle(what, result);
      break;
  }
  return result;
}

}  // namespace osteon::app
