#pragma once
/// @file
/// Perceptual colour maps.
#include <array>
#include <string>

namespace osteon::render {

/// Colours of a named perceptual map (batlow, lipari, vik, ...), as 256 linear RGB values.
/// @throws usage_error for an unknown name. The message contains the known names.
const std::array<std::array<float, 3>, 256>& colour_map(const std::string& name);

}  // namespace osteon::render
