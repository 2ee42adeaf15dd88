#include <fmt/format.h>

#include <algorithm>
#include <app/figures/drawings.hpp>
#include <app/figures/svg.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/io/png.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/render/canvas.hpp>
#include <osteon/render/scene/colour_map.hpp>

namespace osteon::app {

namespace {

using colour = render::canvas::colour;
constexpr colour paper = {252, 252, 250}, ink = {34, 34, 34}, grey = {110, 110, 110}, red = {200, 30, 30},
                 empty = {222, 222, 220};
constexpr int most_rows = 1024, most_labels = 64;
constexpr double top = 64, gap = 18, bar_width = 16, longest_side = 640;

// Shapes in drawing order, written in one of two formats.
struct rectangle {
  double x, y, width, height;
  colour fill;
};
struct text_mark {
  double x, y;  // start of the baseline
  std::string text;
  colour fill;
  bool ends = false;  // x is the end of the text, not the start
  bool large = false;
};
struct sketch {
  double width = 0, height = 0;
  std::vector<rectangle> rectangles;
  std::vector<text_mark> texts;
};

std::string hex(colour c) { return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]); }

std::string to_svg(const sketch& s) {
  svg_picture out;
  for (const rectangle& r : s.rectangles) out.rectangle({r.x, r.y}, r.width, r.height, hex(r.fill));
  for (const text_mark& w : s.texts)
    out.text({w.x, w.y}, w.text, {w.large ? 14.0 : 11.0, hex(w.fill), w.ends ? anchor::end : anchor::start});
  return out.file(s.width, s.height, true);
}

void write_png(const sketch& s, const std::string& file) {
  constexpr int scale = 2;
  const int width = static_cast<int>(s.width) * scale, height = static_cast<int>(s.height) * scale;
  std::vector<std::uint8_t> rgba(4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255);
  render::canvas on(rgba, width, height);
  on.rectangle(0, 0, width, height, paper);
  for (const rectangle& r : s.rectangles)
    on.rectangle(scale * r.x, scale * r.y, scale * (r.x + r.width), scale * (r.y + r.height), r.fill);
  for (const text_mark& w : s.texts) {
    constexpr int dot = 2;
    const double left = scale * w.x - (w.ends ? render::canvas::text_width(w.text, dot) : 0);
    on.text(left, scale * w.y - 7 * dot, w.text, dot, w.fill);
  }
  io::write_png(file, width, height, rgba);
}

// Rows of the map, and the bandwidth between two rows; 0: not measured.
struct matrix {
  std::vector<std::string> names;
  std::vector<bool> slow;
  std::function<double(int row, int column)> value;
  std::string title, note;
};

matrix matrix_of_hosts(const machine::probe_result& probed) {
  const auto& m = probed.machine;
  std::vector<int> order(static_cast<std::size_t>(m.hosts.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto& group = probed.judged.cluster_of;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return group[static_cast<std::size_t>(a)] < group[static_cast<std::size_t>(b)]; });
  const std::size_t every = (order.size() + most_rows - 1) / most_rows;
  std::vector<int> drawn;
  for (std::size_t i = 0; i < order.size(); i += every) drawn.push_back(order[i]);

  matrix result;
  for (const int host : drawn) {
    result.names.push_back(m.hosts.name(host));
    result.slow.push_back(std::any_of(probed.judged.hosts.begin(), probed.judged.hosts.end(),
                                      [&](const machine::slow_host& s) { return s.host == host; }));
  }
  const auto seen = [](const std::optional<machine::path_speeds>& s) { return s && s->between.hosts() > 0; };
  const bool both = seen(m.isolated) && seen(m.loaded);
  result.title = fmt::format("bandwidth between {} hosts", m.hosts.size());
  result.note = both ? "above the diagonal: isolated messages; below: all cores at once"
                     : (seen(m.isolated) ? "isolated messages" : "all cores at once");
  if (every > 1) result.note += fmt::format("; 1 of {} hosts is shown", every);
  const machine::host_links above = seen(m.isolated) ? m.isolated->between : m.loaded->between;
  const machine::host_links below = seen(m.loaded) ? m.loaded->between : above;
  result.value = [drawn, above, below](int row, int column) {
    if (row == column) return 0.0;
    return (column > row ? above : below)
        .between(drawn[static_cast<std::size_t>(row)], drawn[static_cast<std::size_t>(column)])
        .bandwidth;
  };
  return result;
}

matrix matrix_of_cores(const machine::probe_result& probed) {
  const auto& m = probed.machine;
  const machine::host_tree tree = m.hosts.tree(0);
  const machine::path_speeds seen = m.isolated ? *m.isolated : m.loaded.value_or(machine::path_speeds{});
  matrix result;
  const int cores = static_cast<int>(std::min<std::size_t>(tree.cores.size(), most_rows));
  for (int c = 0; c < cores; ++c) {
    result.names.push_back(fmt::format("core {}", c));
    result.slow.push_back(false);
  }
  result.title = fmt::format("bandwidth between the cores of {}", m.hosts.name(0));
  result.note = "colour: median of the class of paths";
  result.value = [tree, seen](int row, int column) {
    if (row == column) return 0.0;
    const auto& found = seen.inside[static_cast<std::size_t>(tree.between(row, column))];
    return found ? found->bandwidth : 0.0;
  };
  return result;
}

// The colour scale is logarithmic, from dark to light, because bandwidths differ by orders of magnitude.
class scale_of_colours {
 public:
  scale_of_colours(double least, double most) : low_(least / 1.1), high_(most * 1.1) {}
  double part(double value) const { return std::log(value / low_) / std::log(high_ / low_); }
  double value(double part) const { return low_ * std::pow(high_ / low_, part); }
  colour of(double part) const {
    const double encoded = std::clamp(part, 0.0, 1.0) * 255;
    const auto& linear = render::colour_map("viridis")[static_cast<std::size_t>(std::lround(encoded))];
    colour result{};
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = linear[c];
      result[c] =
          static_cast<std::uint8_t>(std::lround(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055)));
    }
    return result;
  }

 private:
  double low_, high_;
};

sketch drawn(const matrix& m) {
  const int n = static_cast<int>(m.names.size());
  double least = 0, most = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (const double v = m.value(i, j); v > 0) {
        least = least == 0 ? v : std::min(least, v);
        most = std::max(most, v);
      }
  const double cell = std::clamp(std::floor(longest_side / n), 1.0, 44.0);
  const double labels = [&] {
    std::size_t longest = 6;
    for (const std::string& name : m.names) longest = std::max(longest, name.size());
    return 20 + 6.2 * static_cast<double>(std::min<std::size_t>(longest, 32));
  }();
  const double side = cell * n, bar_height = std::max(side, 120.0);
  sketch s;
  s.width = std::ceil(std::max(labels + side + gap + bar_width + 90,
                               20 + 6.2 * static_cast<double>(std::max(m.note.size(), m.title.size()))));
  s.height = std::ceil(top + bar_height + 24);
  s.texts.push_back({12, 22, m.title, ink, false, true});
  s.texts.push_back({12, 40, m.note, grey});
  const scale_of_colours colours(least > 0 ? least : 1, most > 0 ? most : 1);
  // The cells of a slow host leave its frame uncovered.
  const double border = cell >= 6 ? 1 : 0;
  for (int i = 0; i < n; ++i)
    if (m.slow[static_cast<std::size_t>(i)]) {
      s.rectangles.push_back({labels - 2, top + i * cell - 1, side + 4, cell + 2, red});
      s.rectangles.push_back({labels + i * cell - 1, top - 2, cell + 2, side + 4, red});
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double v = m.value(i, j);
      s.rectangles.push_back({labels + j * cell + border / 2, top + i * cell + border / 2, cell - border, cell - border,
                              v > 0 ? colours.of(colours.part(v)) : empty});
    }
  const int every = (n + most_labels - 1) / most_labels;
  for (int i = 0; i < n; ++i)
    if (i % every == 0 || m.slow[static_cast<std::size_t>(i)])
      s.texts.push_back({labels - 8, top + (i + 0.5) * cell + 4, m.names[static_cast<std::size_t>(i)].substr(0, 32),
                         m.slow[static_cast<std::size_t>(i)] ? red : grey, true});
  const double x = labels + side + gap;
  constexpr int steps = 64, ticks = 4;
  for (int k = 0; k < steps; ++k)
    s.rectangles.push_back(
        {x, top + bar_height * k / steps, bar_width, bar_height / steps + 0.5, colours.of(1 - (k + 0.5) / steps)});
  for (int k = 0; most > 0 && k <= ticks; ++k)
    s.texts.push_back({x + bar_width + 6, top + bar_height * (1 - static_cast<double>(k) / ticks) + 4,
                       machine::rate_text(colours.value(static_cast<double>(k) / ticks)), grey});
  return s;
}

}  // namespace

void require_picture_name(const std::string& file) {
  if (!file.ends_with(".svg") && !file.ends_with(".png"))
    throw usage_error(fmt::format("{}: the extension must be .svg or .png", file));
}

void draw_links(const machine::probe_result& probed, const std::string& file) {
  require_picture_name(file);
  const auto seen = [](const std::optional<machine::path_speeds>& s) { return s && s->between.hosts() > 1; };
  const bool of_hosts = seen(probed.machine.isolated) || seen(probed.machine.loaded);
  const sketch s = drawn(of_hosts ? matrix_of_hosts(probed) : matrix_of_cores(probed));
  if (file.ends_with(".svg"))
    job::write_file(file, to_svg(s));
  else
    write_png(s, file);
}

}  // namespace osteon::app
