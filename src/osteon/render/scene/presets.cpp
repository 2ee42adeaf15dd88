#include <osteon/render/scene/presets.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/render/scene/colour_map.hpp>

namespace osteon::render::presets {

layer bone_layer(const grid::ghosted_field<float>& field, double marrow, double surface, double bone, float opacity,
                 float inside) {
  if (!(marrow < surface && surface < bone))
    throw usage_error(
        fmt::format("the values of marrow {}, surface {} and bone {} must be ascending", marrow, surface, bone));
  constexpr std::array<float, 3> shade{0.55f, 0.34f, 0.19f}, core{0.80f, 0.55f, 0.32f};
  const double start = surface - 0.4 * (surface - marrow), core_from = surface + 0.6 * (bone - surface);
  return {&field,
          {{marrow, shade, 0},
           {start, shade, 0},
           {surface, bone_colour, opacity},
           {core_from, core, inside * opacity},
           {bone, core, inside * opacity}},
          true,
          1.0};
}

layer glow_layer(const grid::ghosted_field<float>& field, double low, double high, const std::string& map) {
  if (!(low < high))
    throw usage_error(fmt::format("the range of the emission layer is {} to {}; must be ascending", low, high));
  const auto& colours = colour_map(map);
  layer result{&field, {}, false, 1.8};
  constexpr int points = 16;
  for (int i = 0; i <= points; ++i) {
    const double t = static_cast<double>(i) / points;
    const auto& colour = colours[static_cast<std::size_t>(75 + t * 155)];  // the range from glow_first to glow_last
    result.transfer.push_back({low + t * (high - low), colour, static_cast<float>(0.22 * t * t)});
  }
  return result;
}

std::array<float, 3> background_of(const std::string& preset) {
  if (preset == "screen") return dark_background;
  if (preset == "paper") return white_background;
  throw usage_error(fmt::format("unknown preset '{}'; must be screen or paper", preset));
}

std::array<float, 2> part_for_surface(const std::string& map) {
  if (map == "ivory" || map == "vik") return {0, 1};
  return {glow_first, glow_last};
}

layer surface_layer(const grid::ghosted_field<float>& field, double low, double high, const std::string& map) {
  if (!(low < high))
    throw usage_error(fmt::format("the range of the surface colours is {} to {}; must be ascending", low, high));
  const auto& colours = colour_map(map);
  const auto [first, last] = part_for_surface(map);
  layer result{&field, {}, false, 1};
  constexpr int points = 64;
  for (int i = 0; i <= points; ++i) {
    const double t = static_cast<double>(i) / points,
                 at = static_cast<double>(first + (last - first) * static_cast<float>(t));
    result.transfer.push_back({low + t * (high - low), colours[static_cast<std::size_t>(std::lround(255 * at))], 1});
  }
  return result;
}

std::vector<control_point> tube_colours(double low, double high, const std::string& map) {
  if (map.empty()) return {{low, {0.75f, 0.75f, 0.75f}, 1}};
  return glow_layer({}, low, high, map).transfer;
}

}  // namespace osteon::render::presets
