#pragma once
/// @file
/// Annotations of a picture: box, axes, scale bar, colour bar.
#include <cstdint>
#include <osteon/render/picture.hpp>
#include <string>

namespace osteon::render {

struct annotations {
  std::string title;      ///< title; an empty string draws no title
  bool outline = true;    ///< draw the edges of the domain
  bool axes = true;       ///< draw a small triad of axes with letters
  bool scale_bar = true;  ///< draw a bar with a round length in mm; in perspective, the length applies at the focal distance
  bool colour_bar = true;               ///< draw a colour bar, if `map` is not empty
  std::string map;                      ///< name of the colour map
  double low = 0, high = 1;             ///< values at the ends of the colour bar
  float first = 0, last = 1;            ///< used range of the map, within [0, 1]
  std::vector<control_point> transfer;  ///< colours of the bar; if empty, the colours of the map
  std::string quantity;                 ///< quantity and unit of the values
};

/// Colours of a colour bar with `count` steps from low to high in 8-bit sRGB (0xRRGGBB). The result is empty without a map.
/// @throws usage_error if the map is unknown
std::vector<std::uint32_t> bar_colours(const annotations& wanted, std::size_t count);

/// Round values between `low` and `high`. Their number is at most about `most`.
std::vector<double> ticks(double low, double high, int most);

/// Draw annotations over a finished picture of shape (scene.height, scene.width, 4), or over its rows from `first_row` on.
/// @throws usage_error if the map is unknown @collective local
void annotate(std::vector<std::uint8_t>& rgba, const scene& scene, index3 domain, const annotations& wanted,
              int first_row = 0);

}  // namespace osteon::render
