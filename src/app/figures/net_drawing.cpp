#include <fmt/format.h>

#include <algorithm>
#include <app/figures/net_drawing.hpp>
#include <app/figures/net_layout.hpp>
#include <app/figures/svg.hpp>
#include <cmath>
#include <map>
#include <osteon/base/error.hpp>

namespace osteon::app {

namespace {

using net::link_kind;
using net::topology;

constexpr int most_pus = 2048;
constexpr std::size_t most_links = 40'000;
constexpr double margin = 40, header = 64, legend = 54, node = 9;

// Idle grey; one message (or a small share) blue; from there over orange to dark red.
std::string colour(double load, double largest, bool messages) {
  if (load <= 0) return "#dcdcd6";
  if (messages && load <= 1) return "#3b82b8";
  const double t = messages ? (largest <= 2 ? 0.5 : std::log(load / 2) / std::log(largest / 2)) : load / largest;
  if (!messages && t < 0.1) return "#3b82b8";
  return fmt::format("hsl({:.0f} 85% {:.0f}%)", 42 - 42 * t, 56 - 20 * t);
}

class drawing {
 public:
  drawing(const net::network& what, std::span<const double> loads, bool messages)
      : what_(what), loads_(loads), messages_(messages), place_(lay_out(what)) {
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
    scale(unit);  // may be wider than the network
    text(14, 24, title, 15);
    text(14, 44, fmt::format("{}: {} PUs, {} links", what_.name, what_.pus, what_.links.size()), 12);
    // Busy links above idle ones.
    std::vector<std::size_t> order(what_.links.size());
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

  void text(double x, double y, const std::string& words, int size) {
    width_ = std::max(width_, x + 0.5 * size * static_cast<double>(words.size()) + 14);
    out_.text({x, y}, words, {static_cast<double>(size)});
  }
  void line(point a, point b, const std::string& stroke, double wide) { out_.line(a, b, {stroke, wide}); }

  // A crossbar lies beside the line of its exchange switches.
  void bars() {
    if (what_.kind != topology::hyper_crossbar) return;
    std::map<int, std::pair<point, point>> ends;
    for (const net::link& l : what_.links)
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
    const net::link& l = what_.links[i];
    point a = at(l.from), b = at(l.to);
    if (a.x == b.x && a.y == b.y && l.kind != link_kind::crossbar_in && l.kind != link_kind::crossbar_out)
      return;  // to a switch that stands where its PU does: the halves of the square tell it
    if (l.kind == link_kind::crossbar_in) b = port(l.from, l.to);
    if (l.kind == link_kind::crossbar_out) a = port(l.to, l.from);
    if (place_.wraps(l.from, l.to)) {  // the way round is a stub at each end
      const point step = place_.towards(l.from, l.to);
      stroke(i, a, {a.x + step.x, a.y + step.y});
      stroke(i, {b.x - step.x, b.y - step.y}, b);
      return;
    }
    stroke(i, a, b);
  }
  // To the right of its direction, so that both directions of a cable can be seen.
  void stroke(std::size_t i, point a, point b) {
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9), side = 1.9;
    const point o{-(b.y - a.y) / length * side, (b.x - a.x) / length * side};
    line({a.x + o.x, a.y + o.y}, {b.x + o.x, b.y + o.y}, colour_of(i), thickness(loads_[i]));
  }

  void nodes() {
    for (int v = what_.pus; v < what_.vertices; ++v)
      if (place_.drawn(v)) out_.circle(at(v), 4, "#8b887e");
    for (std::size_t l = 0; l < what_.links.size(); ++l) {
      const net::link& link = what_.links[l];
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
      // Of many loads only the ends and powers of two are explained.
      if (count.size() > 7 && load > 2 && load < largest_ && std::exp2(std::round(std::log2(load))) != load) continue;
      const std::string words = load <= 0   ? "idle"
                                : messages_ ? fmt::format("{:g} {}{}", load, unit, load > 1 ? "s" : "")
                                            : fmt::format("up to {:g}% of the busiest", 100 * load);
      const std::string label = fmt::format("{} ({})", words, links);
      out_.rectangle({x, y - 10}, 12, 12, colour(messages_ ? load : load * largest_, largest_, messages_));
      text(x + 17, y, label, 12);
      x += 34 + 6.8 * static_cast<double>(label.size());
    }
    width_ = std::max(width_, x);
  }

  const net::network& what_;
  std::span<const double> loads_;
  bool messages_;
  layout place_;
  double largest_ = 0, width_ = 0, height_ = 0;
  svg_picture out_;
};

}  // namespace

std::string draw_network(const net::network& what, std::span<const double> loads, const std::string& title,
                         const std::string& unit) {
  if (what.pus > most_pus || what.links.size() > most_links)
    throw usage_error(fmt::format("a picture of {} PUs and {} links could not be read; draw at most {} PUs and {} links",
                                  what.pus, what.links.size(), most_pus, most_links));
  return drawing(what, loads, !unit.empty()).svg(title, unit);
}

}  // namespace osteon::app
