#pragma once
/// @file
/// Annotations of a picture, such as box, axes, scale bar and colour bar.
#include <cstdint>
#include <osteon/render/picture.hpp>
#include <string>

namespace osteon::render {

struct annotations {
  std::string title;    ///< title; empty: no title
  bool outline = true;  ///< true: draw the edges of the domain
  bool axes = true;     ///< true: draw a small triad of axes with letters
  /// true: draw a bar with a round length in mm; in perspective, the length is exact at the focal distance
  bool scale_bar = true;
  bool colour_bar = true;               ///< true: draw a colour bar, unless `map` is empty
  std::string map;                      ///< name of the colour map
  double low = 0, high = 1;             ///< values at the ends of the colour bar
  float first = 0, last = 1;            ///< part of the map that is used, within [0, 1]
  std::vector<control_point> transfer;  ///< colours of the bar; empty: colours of the map
  std::string quantity;                 ///< quantity and unit of the values
};

/// Colours of a colour bar with `count` steps from low to high, in 8-bit sRGB (0xRRGGBB). Without a map, the result is
/// empty.
/// @throws usage_error if the map is unknown
std::vector<std::uint32_t> bar_colours(const annotations& wanted, std::size_t count);

/// Round values between `low` and `high` for a scale. The number of values is at most about `most`.
std::vector<double> ticks(double low, double high, int most);

/// Draw annotations over a finished picture of shape (scene.height, scene.width, 4), or over the rows of the picture that
/// start at `first_row`.
/// @throws usage_error if the map is unknown @collective local
void annotate(std::vector<std::uint8_t>& rgba, const scene& scene, index3 domain, const annotations& wanted,
              int first_row = 0);

}  // namespace osteon::render
