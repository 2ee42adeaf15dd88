#pragma once
/// @file
/// Presets of layers and colours: translucent bone with emission of a field.
#include <osteon/render/scene/scene.hpp>

namespace osteon::render::presets {

/// Dark slate with contrast to ivory bone and emission (linear RGB; sRGB #12161d).
inline constexpr std::array<float, 3> dark_background{0.006f, 0.008f, 0.012f};
/// Soft white for print (linear RGB; sRGB #f6f5f2).
inline constexpr std::array<float, 3> light_background{0.921f, 0.913f, 0.888f};
/// Background of the style `paper`.
inline constexpr std::array<float, 3> white_background{1, 1, 1};

/// Style of pictures: `screen` on dark slate, `paper` on white. @throws usage_error with the known names
std::array<float, 3> background_of(const std::string& preset);

/// Warm ivory (linear RGB).
inline constexpr std::array<float, 3> bone_colour{0.96f, 0.80f, 0.57f};

/// Opacity of the interior of bone relative to its surface.
inline constexpr float usual_inside = 0.15f;

/// Translucent, shaded layer in warm ivory; the surface is the level `surface`, the interior is more transparent than the
/// surface.
/// @param marrow,bone typical values of the empty space and of bone, marrow < surface < bone; for an indicator of
///        active voxels: 0, 0.5, 1
/// @param opacity opacity of the surface, in [0, 1]: 0.16 transmits a glow on the dark background, 0.35 contrasts with the
///        light one, 0.9 is solid bone
/// @param inside see usual_inside; smaller values show lines inside and behind the layer
layer bone_layer(const grid::ghosted_field<float>& field, double marrow = 0, double surface = 0.5, double bone = 1,
                 float opacity = 0.16f, float inside = usual_inside);

/// Part of a colour map used by a glow: the lower third of a sequential map is nearly black and would shade the bone instead
/// of lighting it.
inline constexpr float glow_first = 75.0f / 255, glow_last = 230.0f / 255;

/// Glow whose colour, brightness and opacity increase from `low` to `high`; values below `low` are invisible.
/// @param low,high range of the values, for strain energy density e.g. its 50th and 99th percentile
/// @throws usage_error if the map is unknown or low >= high
layer glow_layer(const grid::ghosted_field<float>& field, double low, double high, const std::string& map = "inferno");

/// Part of a colour map used by a surface, from and to, 0 to 1: for maps that begin with black that of a glow, so that shade
/// is not mistaken for a value.
std::array<float, 2> part_for_surface(const std::string& map);

/// Colours of a surface over a range of values, constant beyond it. @throws usage_error like glow_layer
layer surface_layer(const grid::ghosted_field<float>& field, double low, double high, const std::string& map = "ivory");

/// Colours of lines, equal to those of a glow. @param map empty: light grey @throws usage_error like glow_layer
std::vector<control_point> tube_colours(double low, double high, const std::string& map = "inferno");

}  // namespace osteon::render::presets
