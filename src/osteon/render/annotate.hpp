#pragma once
/// @file
/// Annotations of a picture: box, axes, scale bar, colour bar.
#include <cstdint>
#include <osteon/render/picture.hpp>
#include <string>

namespace osteon::render {

struct annotations {
  std::string title;                    ///< empty: none
  bool outline = true;                  ///< edges of the domain
  bool axes = true;                     ///< a small axes triad with letters
  bool scale_bar = true;                ///< a round length in mm; in perspective, at the distance of the focal point
  bool colour_bar = true;               ///< requires a map
  std::string map;                      ///< empty: no colour bar
  double low = 0, high = 1;             ///< values at the ends of the colour bar
  float first = 0, last = 1;            ///< part of the map that is used
  std::vector<control_point> transfer;  ///< colours of the bar in place of the map
  std::string quantity;                 ///< quantity and unit of the values
};

/// Colours of a colour bar of `count` steps from low to high, 8-bit sRGB, as 0xRRGGBB; empty without a map.
/// @throws usage_error if the map is unknown
std::vector<std::uint32_t> colours_of_bar(const annotations& wanted, std::size_t count);

/// Round values from `low` to `high`, about `most` at most.
std::vector<double> ticks(double low, double high, int most);

/// Draw annotations over a finished picture, shape (what.height, what.width, 4), or over rows of it.
/// @throws usage_error if the map is unknown @collective local
void annotate(std::vector<std::uint8_t>& rgba, const scene& what, index3 domain, const annotations& wanted,
              int first_row = 0);

}  // namespace osteon::render
