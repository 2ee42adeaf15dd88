#pragma once
/// @file
/// Drawing of lines, rectangles and text on an 8-bit picture.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace osteon::render {

/// Draws on RGBA pixels of shape (height, width, 4), or on the rows that start at `first_row`. Coordinates are in pixels,
/// measured from the upper left corner. Drawing is clipped to the picture. The font has 5 x 7 dots, and contains the ASCII
/// characters. Other characters are drawn as `?`.
class canvas {
 public:
  using colour = std::array<std::uint8_t, 3>;
  canvas(std::vector<std::uint8_t>& rgba, int width, int height, int first_row = 0)
      : rgba_(rgba), width_(width), height_(height), first_(first_row) {}

  /// Draw all subsequent text with an outline in this colour. Outlined text is readable on any background.
  void outline_text(colour c) { edge_ = c; }

  void mix(int x, int y, colour c, double opacity);
  void rectangle(double left, double top, double right, double bottom, colour c, double opacity = 1);
  /// Draw a straight line with antialiased edges.
  void line(double x0, double y0, double x1, double y1, double thickness, colour c, double opacity = 1);
  /// Draw text. @param dot edge of a font dot in pixels @return width of the text in pixels
  double text(double left, double top, const std::string& text, int dot, colour c, double opacity = 1);
  static double text_width(const std::string& text, int dot);

 private:
  std::vector<std::uint8_t>& rgba_;
  int width_, height_, first_;
  std::optional<colour> edge_;
};

}  // namespace osteon::render
