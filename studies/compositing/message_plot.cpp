#include <fmt/format.h>

#include <algorithm>
#include <app/figures/svg.hpp>
#include <cmath>
#include <studies/compositing/commands.hpp>
#include <studies/compositing/model/message_counts.hpp>

namespace osteon::studies {

namespace {

constexpr double plot_width = 420, plot_height = 320, plot_left = 70, plot_top = 46, plot_below = 96;
// With red-green colour blindness, these colours can still be distinguished.
constexpr const char* curve_colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"};

}  // namespace

std::string draw_messages(const std::vector<messages_of_method>& methods) {
  using app::anchor, app::point;
  double most = 1;
  int most_ranks = 2;
  for (const auto& m : methods)
    for (const auto& c : m.counts) {
      most = std::max(most, static_cast<double>(c.most));
      most_ranks = std::max(most_ranks, c.ranks);
    }
  const double decades = std::ceil(std::log10(most) + 1e-9), doublings = std::log2(most_ranks);
  const auto x = [&](int ranks) { return plot_left + (std::log2(ranks) - 1) / std::max(1.0, doublings - 1) * plot_width; };
  const auto y = [&](double messages) {
    return plot_top + plot_height * (1 - std::log10(messages) / std::max(1.0, decades));
  };
  app::svg_picture out;
  out.text({plot_left, plot_top - 22}, "Messages of the rank that sends most, without collection", {14, "#333"});
  for (double d = 0; d <= decades; ++d) {
    const double at = y(std::pow(10, d));
    out.line({plot_left, at}, {plot_left + plot_width, at}, {"#ddd"});
    out.text({plot_left - 8, at + 4}, fmt::format("{:g}", std::pow(10, d)), {11, "#333", anchor::end});
  }
  for (int ranks = 2; ranks <= most_ranks; ranks *= 2)
    out.text({x(ranks), plot_top + plot_height + 18}, std::to_string(ranks), {10, "#333", anchor::middle});
  out.text({plot_left + plot_width / 2, plot_top + plot_height + 36}, "ranks", {11, "#333", anchor::middle});
  double key = plot_left;
  double line = plot_top + plot_height + 58;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const char* colour = curve_colours[m % std::size(curve_colours)];
    std::vector<point> points;
    for (const auto& c : methods[m].counts)
      if (c.most > 0) {
        points.push_back({x(c.ranks), y(static_cast<double>(c.most))});
        out.circle(points.back(), 2.5, colour);
      }
    // Earlier curves are wider. Curves that are equal are then all visible.
    out.polyline(points, {colour, 1.5 + 0.4 * static_cast<double>(methods.size() - 1 - m)});
    const double wide = 46 + 6.6 * static_cast<double>(methods[m].method.size());
    if (key + wide > plot_left + plot_width + 20) key = plot_left, line += 18;
    out.line({key, line - 4}, {key + 22, line - 4}, {colour, 2.5});
    out.text({key + 28, line}, methods[m].method, {11, "#333"});
    key += wide;
  }
  return out.file(plot_left + plot_width + 40, plot_top + plot_height + plot_below);
}

}  // namespace osteon::studies
