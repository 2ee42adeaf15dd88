#pragma once
/// @file
/// Times or speed-ups over numbers of PUs, both logarithmic, as SVG.
#include <string>
#include <vector>

namespace osteon::studies {

struct time_curve {
  std::string name;
  std::vector<int> pus;
  std::vector<double> seconds;  ///< or the speed-up
};

/// A panel with its curves, in the colours of their order, above straight lines of ideal speed-up.
struct time_panel {
  std::string title;
  std::vector<time_curve> curves;
  bool speed_up = false;  ///< larger is better: ideal lines rise, and numbers have no unit
};

/// Panels side by side, with one key for all.
std::string draw_times(const std::vector<time_panel>& panels);

}  // namespace osteon::studies
