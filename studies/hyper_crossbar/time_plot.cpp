#include <fmt/format.h>

#include <algorithm>
#include <app/figures/svg.hpp>
#include <cmath>
#include <studies/hyper_crossbar/time_plot.hpp>

namespace osteon::studies {

namespace {

using app::anchor, app::pen, app::point, app::svg_picture, app::text_style;

constexpr double width = 330, height = 300, left = 62, top = 44, gap = 84, bottom = 70;
// Readers with red-green colour blindness can distinguish these colours.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};

struct axis {
  double low, high, begin, end;  // logarithms of the values at the ends of the axis, and pixels of the ends
  double operator()(double value) const { return begin + (std::log10(value) - low) / (high - low) * (end - begin); }
};

constexpr text_style label = {11, "#333"}, label_left = {11, "#333", anchor::end},
                     label_below = {11, "#333", anchor::middle};
constexpr pen ideal = {"#999", 1, "4 4"};

void draw_panel(svg_picture& out, const time_panel& panel, double shift) {
  double least = 1e30, most = 0;
  int fewest = 1 << 30, largest = 1;
  for (const time_curve& curve : panel.curves)
    for (std::size_t i = 0; i < curve.pus.size(); ++i) {
      least = std::min(least, curve.seconds[i]), most = std::max(most, curve.seconds[i]);
      fewest = std::min(fewest, curve.pus[i]), largest = std::max(largest, curve.pus[i]);
    }
  // The axis must have a positive length, even for a single number of PUs.
  const axis x{std::log10(fewest) - 0.05, std::log10(largest) + 0.05, shift, shift + width};
  const axis y = panel.speed_up
                     ? axis{-0.05, std::max(std::log10(most), std::log10(static_cast<double>(largest) / fewest)) + 0.05,
                            top + height, top}
                     : axis{std::floor(std::log10(least)), std::ceil(std::log10(most) + 1e-9), top + height, top};
  out.text({shift, top - 14}, panel.title, {14, "#333"});
  const auto grid_line = [&](double value) {
    const double at = y(value);
    out.line({shift, at}, {shift + width, at}, {"#ddd"});
    out.text({shift - 8, at + 4}, fmt::format("{:g}{}", value, panel.speed_up ? "" : " s"), label_left);
  };
  if (panel.speed_up)
    for (double value = 1; value <= std::pow(10, y.high); value *= 2) grid_line(value);
  else
    for (double decade = y.low; decade <= y.high + 0.5; ++decade) grid_line(std::pow(10, decade));
  for (const int pus : panel.curves.front().pus) out.text({x(pus), top + height + 18}, std::to_string(pus), label_below);
  out.text({shift + width / 2, top + height + 36}, "PUs", label_below);
  // The ideal line begins at the first point of the first curve and extends over the panel. Ideal times decrease with the
  // number of PUs; ideal speed-ups increase.
  const double first = panel.curves.front().seconds.front();
  const double end = panel.speed_up ? largest : std::min<double>(largest, fewest * first / std::pow(10, y.low));
  out.line({x(fewest), y(first)}, {x(end), y(panel.speed_up ? first * end / fewest : first * fewest / end)}, ideal);
  for (std::size_t c = 0; c < panel.curves.size(); ++c) {
    const time_curve& curve = panel.curves[c];
    const char* colour = colours[c % std::size(colours)];
    std::vector<point> points;
    for (std::size_t i = 0; i < curve.pus.size(); ++i) {
      points.push_back({x(curve.pus[i]), y(curve.seconds[i])});
      out.circle(points.back(), 3, colour);
    }
    // Earlier curves are wider, so that equal curves remain visible.
    out.polyline(points, {colour, 1.6 + 1.4 * static_cast<double>(panel.curves.size() - 1 - c)});
  }
}

}  // namespace

std::string draw_times(const std::vector<time_panel>& panels) {
  const double all = left + static_cast<double>(panels.size()) * (width + gap) - gap / 2, below = top + height + bottom;
  svg_picture out;
  for (std::size_t i = 0; i < panels.size(); ++i) draw_panel(out, panels[i], left + static_cast<double>(i) * (width + gap));
  double at = left;
  const auto key = [&](pen with, const std::string& name) {
    out.line({at, below - 16}, {at + 22, below - 16}, with);
    out.text({at + 28, below - 12}, name, label);
    at += 46 + 6.3 * static_cast<double>(name.size());
  };
  for (std::size_t c = 0; c < panels.front().curves.size(); ++c)
    key({colours[c % std::size(colours)], 2.5}, panels.front().curves[c].name);
  key(ideal, "ideal speed-up");
  return out.file(all, below);
}

}  // namespace osteon::studies
