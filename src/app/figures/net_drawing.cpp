#include <fmt/format.h>

#include <algorithm>
#include <app/figures/drawings.hpp>
#include <app/figures/svg.hpp>
#include <cmath>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network.hpp>
#include <vector>

namespace osteon::app {

namespace {

struct layout {
  std::vector<point> vertex;
  std::vector<point> bar_offset;  ///< by vertex: offset of a crossbar's bar from the line of its switches
  std::vector<bool> hidden;       ///< by vertex: true if the vertex is drawn as part of a PU, or as a bar
  std::vector<int> size, stride;  ///< shape and strides of a torus; empty for other networks
  int pus = 0;

  bool drawn(int v) const { return !hidden[static_cast<std::size_t>(v)]; }
  // True if a channel of a torus wraps around.
  bool wraps(int from, int to) const;
  // Direction in which a channel that wraps around leaves its first end.
  point towards(int from, int to) const;
};

using net::link_kind;
using net::topology;

constexpr double pi = 3.14159265358979323846;

// Offset in the picture per step along each dimension: to the right, down, and back. Further dimensions add copies of the
// grid to the right and below.
std::vector<point> axis_steps(const std::vector<int>& size) {
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
      // A third dimension requires space between the columns.
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

void grid(const net::network& network, layout& result) {
  const auto steps = axis_steps(network.shape);
  std::vector<int> stride(network.shape.size());
  for (std::size_t d = stride.size(), s = 1; d-- > 0; s *= static_cast<std::size_t>(network.shape[d]))
    stride[d] = static_cast<int>(s);
  if (network.kind == topology::torus) {
    result.size = network.shape;
    result.stride = stride;
  }
  for (int q = 0; q < network.pus; ++q) {
    point p;
    for (std::size_t d = 0; d < stride.size(); ++d) {
      const int x = q / stride[d] % network.shape[d];
      p = {p.x + x * steps[d].x, p.y + x * steps[d].y};
    }
    result.vertex[static_cast<std::size_t>(q)] = result.vertex[static_cast<std::size_t>(q + network.pus)] = p;
  }
  std::fill(result.hidden.begin() + network.pus, result.hidden.end(), true);
  for (const net::link& l : network.links)
    if (l.kind == link_kind::crossbar_in) {
      const auto xb = static_cast<std::size_t>(l.to), ex = static_cast<std::size_t>(l.from);
      result.vertex[xb] = result.vertex[ex];
      // Position of the bar relative to its line: below a row, right of a column, or above a line to the back.
      int other = -1;
      for (const net::link& k : network.links)
        if (k.kind == link_kind::crossbar_out && k.from == l.to && k.to != l.from) {
          other = k.to;
          break;
        }
      if (other < 0 || result.bar_offset[xb].x != 0 || result.bar_offset[xb].y != 0) continue;
      const point a = result.vertex[ex], b = result.vertex[static_cast<std::size_t>(other)];
      result.bar_offset[xb] = a.y == b.y ? point{0, 11} : a.x == b.x ? point{11, 0} : point{-9, -7};
    }
}

// Place PUs at the bottom, and levels of switches at equal distances above the PUs.
void tree(const net::network& network, layout& result) {
  std::vector<int> level(static_cast<std::size_t>(network.vertices), 0);
  for (const net::link& l : network.links)
    if (l.kind == link_kind::injection || l.kind == link_kind::up)
      level[static_cast<std::size_t>(l.to)] = level[static_cast<std::size_t>(l.from)] + 1;
  std::map<int, int> count, next;
  for (const int l : level) ++count[l];
  const double wide = std::max(14.0 * network.pus, 30.0 * count[1]);
  for (std::size_t v = 0; v < level.size(); ++v)
    result.vertex[v] = {wide * (next[level[v]]++ + 0.5) / count[level[v]], -130.0 * level[v]};
}

// Place switches on a circle, with PUs around their switches. The switches of a dragonfly are sorted by groups.
void circle(const net::network& network, layout& result) {
  const int switches = network.vertices - network.pus;
  const int group = network.kind == topology::dragonfly ? network.shape[1] : 1;
  std::vector<int> of_switch(static_cast<std::size_t>(switches), 0), next(static_cast<std::size_t>(switches), 0);
  for (const net::link& l : network.links)
    if (l.kind == link_kind::injection) ++of_switch[static_cast<std::size_t>(l.to - network.pus)];
  const int most = std::max(1, *std::max_element(of_switch.begin(), of_switch.end()));
  const double radius = std::max(90.0, 14.0 * switches * std::min(most, 4) / pi / 2 + 10.0 * switches / group);
  std::vector<double> angle(static_cast<std::size_t>(switches));
  for (int s = 0; s < switches; ++s) {
    const double turns = (s + (s / group) * (group > 1 ? 1.0 : 0.0)) / (switches + (group > 1 ? switches / group : 0));
    angle[static_cast<std::size_t>(s)] = 2 * pi * turns - pi / 2;
    result.vertex[static_cast<std::size_t>(network.pus + s)] = {radius * std::cos(angle[static_cast<std::size_t>(s)]),
                                                                radius * std::sin(angle[static_cast<std::size_t>(s)])};
  }
  for (const net::link& l : network.links)
    if (l.kind == link_kind::injection) {
      const auto s = static_cast<std::size_t>(l.to - network.pus);
      const int k = next[s]++, row = k / 4, in_row = std::min(4, of_switch[s] - row * 4);
      const double r = radius + 24 + 12 * row, across = (k % 4 - (in_row - 1) / 2.0) * 12;
      const double c = std::cos(angle[s]), n = std::sin(angle[s]);
      result.vertex[static_cast<std::size_t>(l.from)] = {r * c - across * n, r * n + across * c};
    }
}

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

// Arrange grids with the third dimension to the back, fat trees by levels, and dragonflies and graphs as circles.
layout lay_out(const net::network& network) {
  layout result;
  const auto n = static_cast<std::size_t>(network.vertices);
  result.pus = network.pus;
  result.vertex.resize(n);
  result.bar_offset.resize(n);
  result.hidden.resize(n, false);
  switch (network.kind) {
    case topology::hyper_crossbar:
    case topology::torus:
    case topology::mesh:
    case topology::hypercube:
      grid(network, result);
      break;
    case topology::fat_tree:
    case topology::crossbar:
      tree(network, result);
      break;
    case topology::dragonfly:
    case topology::graph:
      circle(network, result);
      break;
  }
  return result;
}

using net::link_kind;
using net::topology;

constexpr int most_pus = 2048;
constexpr std::size_t most_links = 40'000;
constexpr double margin = 40, header = 64, legend = 54, node = 9;

// Colour scale: an idle link is grey, a link with one message (or a small fraction) is blue, and higher loads are orange to
// dark red.
std::string colour(double load, double largest, bool messages) {
  if (load <= 0) return "#dcdcd6";
  if (messages && load <= 1) return "#3b82b8";
  const double t = messages ? (largest <= 2 ? 0.5 : std::log(load / 2) / std::log(largest / 2)) : load / largest;
  if (!messages && t < 0.1) return "#3b82b8";
  return fmt::format("hsl({:.0f} 85% {:.0f}%)", 42 - 42 * t, 56 - 20 * t);
}

class drawing {
 public:
  drawing(const net::network& network, std::span<const double> loads, bool messages)
      : network_(network), loads_(loads), messages_(messages), place_(lay_out(network)) {
    for (const double load : loads) largest_ = std::max(largest_, load);
    double left = 1e30, top = 1e30, right = -1e30, bottom = -1e30;
    for (const point p : place_.vertex) {
      left = std::min(left, p.x);
      top = std::min(top, p.y);
      right = std::max(right, p.x);
      bottom = std::max(bottom, p.y);
    }
    for (point& p : place_.vertex) p = {p.x - left + margin, p.y - top + header + margin / 2};
    width_ = std::max(right - left + 2 * margin, 420.0);
    height_ = bottom - top + header + margin + legend;
  }

  std::string svg(const std::string& title, const std::string& unit) {
    scale(unit);  // the scale may be wider than the network
    text(14, 24, title, 15);
    text(14, 44, fmt::format("{}: {} PUs, {} links", network_.name, network_.pus, network_.links.size()), 12);
    // Draw busy links above idle links.
    std::vector<std::size_t> order(network_.links.size());
    for (std::size_t l = 0; l < order.size(); ++l) order[l] = l;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return loads_[a] < loads_[b]; });
    bars();
    for (const std::size_t l : order) draw_link(l);
    nodes();
    return out_.file(width_, height_);
  }

 private:
  point at(int vertex) const { return place_.vertex[static_cast<std::size_t>(vertex)]; }
  std::string colour_of(std::size_t l) const { return colour(loads_[l], largest_, messages_); }
  double thickness(double load) const { return load <= 0 ? 0.6 : 1.2 + 1.8 * (largest_ > 0 ? load / largest_ : 0); }

  void text(double x, double y, const std::string& label, int size) {
    width_ = std::max(width_, x + 0.5 * size * static_cast<double>(label.size()) + 14);
    out_.text({x, y}, label, {static_cast<double>(size)});
  }
  void line(point a, point b, const std::string& stroke, double wide) { out_.line(a, b, {stroke, wide}); }

  // Draw a crossbar next to the line of its exchange switches.
  void bars() {
    if (network_.kind != topology::hyper_crossbar) return;
    std::map<int, std::pair<point, point>> ends;
    for (const net::link& l : network_.links)
      if (l.kind == link_kind::crossbar_in) {
        const point p = port(l.from, l.to);
        const auto [found, first] = ends.emplace(l.to, std::pair{p, p});
        if (!first) found->second.second = p;
      }
    for (const auto& [vertex, bar] : ends) line(bar.first, bar.second, "#b9b6ac", 4);
  }
  point port(int exchange, int crossbar) const {
    const point p = at(exchange), o = place_.bar_offset[static_cast<std::size_t>(crossbar)];
    return {p.x + o.x, p.y + o.y};
  }

  void draw_link(std::size_t i) {
    const net::link& l = network_.links[i];
    point a = at(l.from), b = at(l.to);
    if (a.x == b.x && a.y == b.y && l.kind != link_kind::crossbar_in && l.kind != link_kind::crossbar_out)
      return;  // the switch is at the position of its PU, and the halves of the square show this link
    if (l.kind == link_kind::crossbar_in) b = port(l.from, l.to);
    if (l.kind == link_kind::crossbar_out) a = port(l.to, l.from);
    if (place_.wraps(l.from, l.to)) {  // draw a channel that wraps around as a stub at each end
      const point step = place_.towards(l.from, l.to);
      stroke(i, a, {a.x + step.x, a.y + step.y});
      stroke(i, {b.x - step.x, b.y - step.y}, b);
      return;
    }
    stroke(i, a, b);
  }
  // Shift a link to the right of its direction, so that both directions of a cable are visible.
  void stroke(std::size_t i, point a, point b) {
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9), side = 1.9;
    const point o{-(b.y - a.y) / length * side, (b.x - a.x) / length * side};
    line({a.x + o.x, a.y + o.y}, {b.x + o.x, b.y + o.y}, colour_of(i), thickness(loads_[i]));
  }

  void nodes() {
    for (int v = network_.pus; v < network_.vertices; ++v)
      if (place_.drawn(v)) out_.circle(at(v), 4, "#8b887e");
    for (std::size_t l = 0; l < network_.links.size(); ++l) {
      const net::link& link = network_.links[l];
      const bool in = link.kind == link_kind::injection;
      if (!in && link.kind != link_kind::ejection) continue;
      const point p = at(in ? link.from : link.to);
      out_.rectangle({in ? p.x - node / 2 : p.x, p.y - node / 2}, node / 2, node, colour_of(l), {"#fcfcfa", 0.5});
    }
  }

  void scale(const std::string& unit) {
    std::map<double, int> count;
    for (const double load : loads_) ++count[messages_ ? load : largest_ > 0 ? std::ceil(4 * load / largest_) / 4 : 0];
    double x = 14;
    const double y = height_ - 20;
    for (const auto& [load, links] : count) {
      // If there are many loads, the legend shows only the ends and powers of two.
      if (count.size() > 7 && load > 2 && load < largest_ && std::exp2(std::round(std::log2(load))) != load) continue;
      const std::string state = load <= 0   ? "idle"
                                : messages_ ? fmt::format("{:g} {}{}", load, unit, load > 1 ? "s" : "")
                                            : fmt::format("up to {:g}% of the busiest", 100 * load);
      const std::string label = fmt::format("{} ({})", state, links);
      out_.rectangle({x, y - 10}, 12, 12, colour(messages_ ? load : load * largest_, largest_, messages_));
      text(x + 17, y, label, 12);
      x += 34 + 6.8 * static_cast<double>(label.size());
    }
    width_ = std::max(width_, x);
  }

  const net::network& network_;
  std::span<const double> loads_;
  bool messages_;
  layout place_;
  double largest_ = 0, width_ = 0, height_ = 0;
  svg_picture out_;
};

}  // namespace

std::string draw_network(const net::network& network, std::span<const double> loads, const std::string& title,
                         const std::string& unit) {
  if (network.pus > most_pus || network.links.size() > most_links)
    throw usage_error(fmt::format("a picture of {} PUs and {} links is not legible; draw at most {} PUs and {} links",
                                  network.pus, network.links.size(), most_pus, most_links));
  return drawing(network, loads, !unit.empty()).svg(title, unit);
}

}  // namespace osteon::app
