#pragma once
/// @file
/// Plot of times or speed-ups over numbers of PUs as SVG, with logarithmic axes.
#include <string>
#include <vector>

namespace osteon::studies {

struct time_curve {
  std::string name;
  std::vector<int> pus;
  std::vector<double> seconds;  ///< times in s, or speed-ups without a unit
};

/// A panel with its curves and straight lines of ideal speed-up. The order of the curves determines their colours.
struct time_panel {
  std::string title;
  std::vector<time_curve> curves;
  bool speed_up = false;  ///< true: the values are speed-ups, the ideal lines rise, and the numbers have no unit
};

/// Panels side by side, with one legend for all panels.
std::string draw_times(const std::vector<time_panel>& panels);

}  // namespace osteon::studies
