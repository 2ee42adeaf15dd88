#pragma once
/// @file
/// Lines, rectangles and text on a finished 8-bit picture.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace osteon::render {

/// Draws on RGBA pixels of shape (height, width, 4), or on rows of them from `first_row` on. Coordinates in pixels from the
/// upper left corner; what lies outside is left out. Text is ASCII in a font of 5 x 7 dots; each other character of UTF-8 is
/// shown as `?`.
class canvas {
 public:
  using colour = std::array<std::uint8_t, 3>;
  canvas(std::vector<std::uint8_t>& rgba, int width, int height, int first_row = 0)
      : rgba_(rgba), width_(width), height_(height), first_(first_row) {}

  /// Draw words from now on with an edge of this colour, so that they can be read on anything.
  void outline_words(colour c) { edge_ = c; }

  void mix(int x, int y, colour c, double opacity);
  void rectangle(double left, double top, double right, double bottom, colour c, double opacity = 1);
  /// A straight line with soft edges.
  void line(double x0, double y0, double x1, double y1, double thickness, colour c, double opacity = 1);
  /// @param dot pixels along a dot of the font @return width in pixels
  double text(double left, double top, const std::string& words, int dot, colour c, double opacity = 1);
  static double text_width(const std::string& words, int dot);

 private:
  std::vector<std::uint8_t>& rgba_;
  int width_, height_, first_;
  std::optional<colour> edge_;
};

}  // namespace osteon::render
