#include <osteon/render/annotate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <osteon/render/canvas.hpp>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/colour_map.hpp>
#include <osteon/render/scene/transfer.hpp>

namespace osteon::render {

namespace {

// Largest number of the form 1, 2 or 5 times a power of ten that is at most `value`.
double round_down(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {5.0, 2.0})
    if (factor * power <= value) return factor * power;
  return power;
}

// Part of an edge that is in front of the eye. If no part is in front of the eye, the result is empty.
std::optional<std::array<vector3, 2>> before_eye(const view& from, vector3 a, vector3 b) {
  if (!from.perspective) return {{a, b}};
  const double da = from.depth(a), db = from.depth(b), nearest = 1e-3 * (std::abs(da) + std::abs(db));
  if (da < nearest && db < nearest) return {};
  const auto cut = [&](vector3& end, double depth, const vector3& other, double other_depth) {
    if (depth >= nearest) return;
    const double t = (nearest - depth) / (other_depth - depth);
    for (int axis = 0; axis < 3; ++axis) end[axis] += t * (other[axis] - end[axis]);
  };
  const vector3 start = a;
  cut(a, da, b, db);
  cut(b, db, start, da);
  return {{a, b}};
}

}  // namespace

std::vector<std::uint32_t> bar_colours(const annotations& wanted, std::size_t count) {
  if (wanted.map.empty()) return {};
  const auto& colours = colour_map(wanted.map);
  image bar{1, static_cast<int>(count), 0, 0, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const float up = (static_cast<float>(i) + 0.5F) / static_cast<float>(count);
    const float t = wanted.first + (wanted.last - wanted.first) * up;
    auto c = colours[static_cast<std::size_t>(std::clamp(t * 255, 0.0F, 255.0F))];
    if (!wanted.transfer.empty()) {
      const auto shown = interpolate(wanted.transfer, wanted.low + (wanted.high - wanted.low) * static_cast<double>(up));
      std::copy_n(shown.begin(), 3, c.begin());
    }
    bar.rgba.insert(bar.rgba.end(), {c[0], c[1], c[2], 1.0F});
  }
  const auto bytes = to_rgba8(bar, {0, 0, 0});
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(std::uint32_t{bytes[4 * i]} << 16 | std::uint32_t{bytes[4 * i + 1]} << 8 | bytes[4 * i + 2]);
  return result;
}

std::vector<double> ticks(double low, double high, int most) {
  std::vector<double> result;
  if (!(high > low) || most < 1) return result;
  double step = round_down((high - low) / most);
  while ((high - low) / step > most) step = round_down(2.51 * step);
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    result.push_back(i == 0 ? 0 : i * step);  // this case avoids -0
  return result;
}

void annotate(std::vector<std::uint8_t>& rgba, const scene& scene, index3 domain, const annotations& wanted, int first_row) {
  canvas paper(rgba, scene.width, scene.height, first_row);
  const view from = view::of(scene.view, domain, scene.spacing_mm, scene.width, scene.height);
  const double brightness = 0.2126 * scene.background[0] + 0.7152 * scene.background[1] + 0.0722 * scene.background[2];
  const canvas::colour ink = brightness > 0.2 ? canvas::colour{30, 34, 40} : canvas::colour{222, 226, 232};
  const auto behind = to_rgba8({1, 1, 0, 0, {0, 0, 0, 0}}, scene.background);
  const canvas::colour ground{behind[0], behind[1], behind[2]};
  const int dot = std::max(1, std::min(scene.width, scene.height) / 420);
  const double margin = 12 * dot, line = std::max(1.0, 0.75 * dot);

  paper.outline_text(ground);

  const auto corner = [&](int k) {
    return vector3{(k & 4 ? 1 : 0) * static_cast<double>(domain.z) * scene.spacing_mm.z,
                   (k & 2 ? 1 : 0) * static_cast<double>(domain.y) * scene.spacing_mm.y,
                   (k & 1 ? 1 : 0) * static_cast<double>(domain.x) * scene.spacing_mm.x};
  };
  if (wanted.outline)
    for (int a = 0; a < 8; ++a)
      for (const int bit : {1, 2, 4}) {
        if (a & bit) continue;
        const auto seen = before_eye(from, corner(a), corner(a | bit));
        if (!seen) continue;
        const auto p = from.project((*seen)[0]), q = from.project((*seen)[1]);
        paper.line(p[0], p[1], q[0], q[1], line, ink, 0.4);
      }

  if (wanted.axes) {
    const double length = 26 * dot, x0 = margin + length, y0 = scene.height - margin - length;
    const vector3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const char* const name[3] = {"z", "y", "x"};
    double across[3] = {}, up[3] = {};
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < 3; ++i) {
        across[axis] += unit[axis][i] * from.right[i];
        up[axis] += unit[axis][i] * from.up[i];
      }
    for (const auto& [wider, colour] : {std::pair{2.0 * dot, ground}, {0.0, ink}})
      for (int axis = 0; axis < 3; ++axis)
        paper.line(x0, y0, x0 + length * across[axis], y0 - length * up[axis], 1.5 * line + wider, colour);
    for (int axis = 0; axis < 3; ++axis)
      paper.text(x0 + (length + 6 * dot) * across[axis] - 2.5 * dot, y0 - (length + 6 * dot) * up[axis] - 3.5 * dot,
                 name[axis], dot, ink);
  }

  if (wanted.scale_bar) {
    const double mm_per_pixel = from.pixel * (from.perspective ? from.depth(from.focus) : 1);
    const double length = round_down(0.25 * scene.width * mm_per_pixel), pixels = length / mm_per_pixel;
    const std::string label = fmt::format("{:g} mm", length);
    const double right = scene.width - margin, bottom = scene.height - margin;
    paper.rectangle(right - pixels - dot, bottom - 3 * dot, right + dot, bottom + dot, ground);
    paper.rectangle(right - pixels, bottom - 2 * dot, right, bottom, ink);
    paper.text(right - 0.5 * (pixels + canvas::text_width(label, dot)), bottom - 12 * dot, label, dot, ink);
  }

  if (wanted.colour_bar && !wanted.map.empty() && wanted.high > wanted.low) {
    const int long_edge = static_cast<int>(0.4 * scene.height);
    const std::vector<std::uint32_t> colours = bar_colours(wanted, static_cast<std::size_t>(long_edge));
    const double top = 0.5 * (scene.height - long_edge), width = 9 * dot;
    std::vector<std::pair<double, std::string>> labels;
    double widest = 0;
    for (const double value : ticks(wanted.low, wanted.high, 6)) {
      const double at = top + long_edge * (wanted.high - value) / (wanted.high - wanted.low);
      labels.push_back({at, fmt::format("{:.4g}", value)});
      widest = std::max(widest, canvas::text_width(labels.back().second, dot));
    }
    const double left = scene.width - margin - widest - 5 * dot - width;
    paper.rectangle(left - dot, top - dot, left + width + dot, top + long_edge + dot, ground);
    for (int i = 0; i < long_edge; ++i) {
      const std::uint32_t c = colours[static_cast<std::size_t>(long_edge - 1 - i)];
      paper.rectangle(
          left, top + i, left + width, top + i + 1,
          {static_cast<std::uint8_t>(c >> 16), static_cast<std::uint8_t>(c >> 8 & 255), static_cast<std::uint8_t>(c & 255)});
    }
    for (const auto& [at, label] : labels) {
      paper.rectangle(left + width, at - 0.5 * line, left + width + 3 * dot, at + 0.5 * line, ink);
      paper.text(left + width + 5 * dot, at - 3.5 * dot, label, dot, ink);
    }
    paper.text(scene.width - margin - canvas::text_width(wanted.quantity, dot), top - 14 * dot, wanted.quantity, dot, ink);
  }

  if (!wanted.title.empty()) paper.text(margin, margin, wanted.title, dot, ink);
}

}  // namespace osteon::render
