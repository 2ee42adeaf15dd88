#include <fmt/format.h>

#include <algorithm>
#include <app/svg_text.hpp>
#include <cmath>
#include <studies/hyper_crossbar/time_plot.hpp>

namespace osteon::studies {

namespace {

constexpr double width = 330, height = 300, left = 62, top = 44, gap = 84, bottom = 70;
// Told apart also by those who do not see red and green as two colours.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};

struct axis {
  double low, high, begin, end;  // logarithms of values, pixels
  double operator()(double value) const { return begin + (std::log10(value) - low) / (high - low) * (end - begin); }
};

std::string text(double x, double y, const char* anchor, const std::string& words, int size = 11) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"#333\">{}</text>\n", x, y,
                     anchor, size, app::svg_text(words));
}

std::string draw_panel(const time_panel& panel, double shift) {
  double least = 1e30, most = 0;
  int fewest = 1 << 30, largest = 1;
  for (const time_curve& curve : panel.curves)
    for (std::size_t i = 0; i < curve.pus.size(); ++i) {
      least = std::min(least, curve.seconds[i]), most = std::max(most, curve.seconds[i]);
      fewest = std::min(fewest, curve.pus[i]), largest = std::max(largest, curve.pus[i]);
    }
  // One number of PUs still gets an axis.
  const axis x{std::log10(fewest) - 0.05, std::log10(largest) + 0.05, shift, shift + width};
  const axis y{std::floor(std::log10(least)), std::ceil(std::log10(most) + 1e-9), top + height, top};
  std::string out = text(shift, top - 14, "start", panel.title, 14);
  for (double decade = y.low; decade <= y.high + 0.5; ++decade) {
    const double at = y(std::pow(10, decade));
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.0f}\" stroke=\"#ddd\"/>\n", shift, at, width);
    out += text(shift - 8, at + 4, "end", fmt::format("{:g} s", std::pow(10, decade)));
  }
  for (const int pus : panel.curves.front().pus) out += text(x(pus), top + height + 18, "middle", std::to_string(pus));
  out += text(shift + width / 2, top + height + 36, "middle", "PUs");
  // Ideal: from the first point of the first curve down by as much as there are more PUs, as far as the panel goes.
  const double first = panel.curves.front().seconds.front();
  const double end = std::min<double>(largest, fewest * first / std::pow(10, y.low));
  out += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>\n", x(fewest),
                     y(first), x(end), y(first * fewest / end));
  for (std::size_t c = 0; c < panel.curves.size(); ++c) {
    const time_curve& curve = panel.curves[c];
    const char* colour = colours[c % std::size(colours)];
    std::string points;
    for (std::size_t i = 0; i < curve.pus.size(); ++i) {
      points += fmt::format("{:.1f},{:.1f} ", x(curve.pus[i]), y(curve.seconds[i]));
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(curve.pus[i]), y(curve.seconds[i]),
                         colour);
    }
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n", points, colour,
                       1.6 + 1.4 * static_cast<double>(panel.curves.size() - 1 - c));  // equal curves both show
  }
  return out;
}

}  // namespace

std::string draw_times(const std::vector<time_panel>& panels) {
  const double all = left + static_cast<double>(panels.size()) * (width + gap) - gap / 2, below = top + height + bottom;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"system-ui, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfa\"/>\n",
      all, below);
  for (std::size_t i = 0; i < panels.size(); ++i)
    out += draw_panel(panels[i], left + static_cast<double>(i) * (width + gap));
  double at = left;
  const auto key = [&](const char* style, const std::string& name) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h22\" {}/>\n", at, below - 16, style) +
           text(at + 28, below - 12, "start", name);
    at += 46 + 6.3 * static_cast<double>(name.size());
  };
  for (std::size_t c = 0; c < panels.front().curves.size(); ++c)
    key(fmt::format("stroke=\"{}\" stroke-width=\"2.5\"", colours[c % std::size(colours)]).c_str(),
        panels.front().curves[c].name);
  key("stroke=\"#999\" stroke-dasharray=\"4 4\"", "ideal speed-up");
  return out + "</svg>\n";
}

}  // namespace osteon::studies
