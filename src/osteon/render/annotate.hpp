#pragma once
/// @file
/// What makes a picture readable: its box, axes, a scale, the meaning of its colours.
#include <cstdint>
#include <osteon/render/picture.hpp>
#include <string>

namespace osteon::render {

struct annotations {
  std::string title;                    ///< empty: none
  bool outline = true;                  ///< edges of the domain
  bool axes = true;                     ///< a small cross of axes, with letters
  bool scale_bar = true;                ///< a round length in mm; in perspective, at the distance of what is looked at
  bool colour_bar = true;               ///< needs a map
  std::string map;                      ///< empty: no colour bar
  double low = 0, high = 1;             ///< values at its ends
  float first = 0, last = 1;            ///< part of the map that is used
  std::vector<control_point> transfer;  ///< colours of the bar, instead of the map's
  std::string quantity;                 ///< what the values are, and their unit
};

/// Colours of a bar of `count` steps from its low to its high end, 8-bit sRGB, as 0xRRGGBB; empty without a map.
/// @throws usage_error if the map is unknown
std::vector<std::uint32_t> colours_of_bar(const annotations& wanted, std::size_t count);

/// Round values from `low` to `high`, at most about `most` of them.
std::vector<double> ticks(double low, double high, int most);

/// Draw them over a finished picture, shape (what.height, what.width, 4), or over rows of it.
/// @throws usage_error if the map is unknown @collective local
void annotate(std::vector<std::uint8_t>& rgba, const scene& what, index3 domain, const annotations& wanted,
              int first_row = 0);

}  // namespace osteon::render
