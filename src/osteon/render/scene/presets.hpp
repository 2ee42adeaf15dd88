#pragma once
/// @file
/// Presets of layers and colours.
#include <osteon/render/scene/scene.hpp>

namespace osteon::render::presets {

/// Dark slate (linear RGB; sRGB #12161d). This colour contrasts with ivory bone and with emission.
inline constexpr std::array<float, 3> dark_background{0.006f, 0.008f, 0.012f};
/// Soft white for print (linear RGB; sRGB #f6f5f2).
inline constexpr std::array<float, 3> light_background{0.921f, 0.913f, 0.888f};
/// Background of the style `paper`.
inline constexpr std::array<float, 3> white_background{1, 1, 1};

/// Background of a preset. The background is dark slate for `screen`, and white for `paper`.
/// @throws usage_error for an unknown name. The message contains the known names.
std::array<float, 3> background_of(const std::string& preset);

/// Warm ivory (linear RGB).
inline constexpr std::array<float, 3> bone_colour{0.96f, 0.80f, 0.57f};

/// Opacity of the interior of bone relative to the opacity of its surface.
inline constexpr float default_inside = 0.15f;

/// Translucent, shaded layer in warm ivory. The surface of bone is at the value `surface`. The interior of bone is more
/// transparent than its surface.
/// @param marrow,bone typical values of empty space and of bone, with marrow < surface < bone. For an indicator of active
/// voxels, use marrow = 0, surface = 0.5, bone = 1
/// @param opacity opacity of the surface in [0, 1]. With 0.16, a glow shines through on the dark background. 0.35 contrasts
/// with the
///        light background, 0.9 shows solid bone
/// @param inside opacity of the interior relative to the surface. With smaller values, lines inside and behind the layer are
/// visible.
layer bone_layer(const grid::ghosted_field<float>& field, double marrow = 0, double surface = 0.5, double bone = 1,
                 float opacity = 0.16f, float inside = default_inside);

/// Range of a colour map for a glow. The range excludes the lower third of a sequential map. The nearly black colours of
/// this third would darken the bone.
inline constexpr float glow_first = 75.0f / 255, glow_last = 230.0f / 255;

/// Layer that emits light. Colour, brightness and opacity increase from `low` to `high`. Values below `low` are invisible.
/// @param low,high range of the values, for example the 50th and the 99th percentile of the strain energy density
/// @throws usage_error if the map is unknown, or if low >= high
layer glow_layer(const grid::ghosted_field<float>& field, double low, double high, const std::string& map = "inferno");

/// Range of a colour map for a surface, within [0, 1]. Maps that begin with black have the range of a glow, because dark
/// colours would look like shading.
std::array<float, 2> part_for_surface(const std::string& map);

/// Colours of a surface for a range of values. Outside of the range, the colour is constant. @throws usage_error in the
/// cases of glow_layer
layer surface_layer(const grid::ghosted_field<float>& field, double low, double high, const std::string& map = "ivory");

/// Colours of lines. The colours equal the colours of a glow. @param map name of the map; empty: light grey
/// @throws usage_error in the cases of glow_layer
std::vector<control_point> tube_colours(double low, double high, const std::string& map = "inferno");

}  // namespace osteon::render::presets
