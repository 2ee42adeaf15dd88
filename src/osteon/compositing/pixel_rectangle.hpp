#pragma once

namespace osteon::compositing {

/// Pixels [left, right) of the rows [top, bottom).
struct pixel_rectangle {
  int left = 0, top = 0, right = 0, bottom = 0;
  bool empty() const { return left >= right || top >= bottom; }
  friend bool operator==(const pixel_rectangle&, const pixel_rectangle&) = default;
};

}  // namespace osteon::compositing
