#pragma once
/// @file
/// SVG writer: shapes in drawing order on a light background.
#include <span>
#include <string>
#include <string_view>

namespace osteon::app {

/// Point in pixels from the upper left corner of the picture.
struct point {
  double x = 0, y = 0;
};

/// Outline of a shape.
struct pen {
  std::string_view colour = "none";
  double width = 1;
  std::string_view dashes = {};  ///< SVG's `stroke-dasharray`; empty: solid
};

/// Alignment of a text relative to the given point on its base line.
enum class anchor { start, middle, end };

struct text_style {
  double size = 12;
  std::string_view colour = "#222";
  anchor at = anchor::start;
};

/// Collects shapes. Texts are escaped, and coordinates are rounded to 1/100 pixel.
class svg_picture {
 public:
  void rectangle(point corner, double width, double height, std::string_view fill, pen outline = {});
  void circle(point centre, double radius, std::string_view fill);
  void line(point from, point to, pen with);
  void polyline(std::span<const point> points, pen with);
  void text(point at, std::string_view content, text_style style = {});
  /// Append the shapes of `above`.
  void draw(const svg_picture& above) { shapes_ += above.shapes_; }

  /// Return the whole file. @param crisp draw edges on whole pixels, as in a map of squares
  std::string file(double width, double height, bool crisp = false) const;

 private:
  std::string shapes_;
};

}  // namespace osteon::app
