#include <fmt/format.h>

#include <app/figures/svg.hpp>
#include <cmath>
#include <common/xml_text.hpp>
#include <iterator>

namespace osteon::app {

namespace {

// Round to 1/100 pixel. Numbers with 8 digits are then exact up to a million pixels.
double rounded(double pixels) { return std::round(100 * pixels) / 100 + 0.0; }

// name="number"
void put(std::string& to, const char* name, double pixels) {
  fmt::format_to(std::back_inserter(to), " {}=\"{:.8g}\"", name, rounded(pixels));
}
void put(std::string& to, const char* name, std::string_view value) {
  fmt::format_to(std::back_inserter(to), " {}=\"{}\"", name, value);
}
void put(std::string& to, pen with) {
  if (with.colour == "none") return;
  put(to, "stroke", with.colour);
  put(to, "stroke-width", with.width);
  if (!with.dashes.empty()) put(to, "stroke-dasharray", with.dashes);
}

}  // namespace

void svg_picture::rectangle(point corner, double width, double height, std::string_view fill, pen outline) {
  shapes_ += "<rect";
  put(shapes_, "x", corner.x);
  put(shapes_, "y", corner.y);
  put(shapes_, "width", width);
  put(shapes_, "height", height);
  put(shapes_, "fill", fill);
  put(shapes_, outline);
  shapes_ += "/>\n";
}

void svg_picture::circle(point centre, double radius, std::string_view fill) {
  shapes_ += "<circle";
  put(shapes_, "cx", centre.x);
  put(shapes_, "cy", centre.y);
  put(shapes_, "r", radius);
  put(shapes_, "fill", fill);
  shapes_ += "/>\n";
}

void svg_picture::line(point from, point to, pen with) {
  shapes_ += "<line";
  put(shapes_, "x1", from.x);
  put(shapes_, "y1", from.y);
  put(shapes_, "x2", to.x);
  put(shapes_, "y2", to.y);
  put(shapes_, with);
  shapes_ += "/>\n";
}

void svg_picture::polyline(std::span<const point> points, pen with) {
  std::string list;
  for (const point p : points) fmt::format_to(std::back_inserter(list), "{:.8g},{:.8g} ", rounded(p.x), rounded(p.y));
  shapes_ += "<polyline fill=\"none\"";
  put(shapes_, "points", list);
  put(shapes_, with);
  shapes_ += "/>\n";
}

void svg_picture::text(point at, std::string_view content, text_style style) {
  constexpr const char* anchors[] = {"start", "middle", "end"};
  shapes_ += "<text";
  put(shapes_, "x", at.x);
  put(shapes_, "y", at.y);
  put(shapes_, "font-size", style.size);
  put(shapes_, "fill", style.colour);
  if (style.at != anchor::start) put(shapes_, "text-anchor", anchors[static_cast<int>(style.at)]);
  shapes_ += ">" + xml_text(content) + "</text>\n";
}

std::string svg_picture::file(double width, double height, bool crisp) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
             "{1:.0f}\" "
             "font-family=\"system-ui, sans-serif\"{2}>\n<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfa\"/>\n",
             width, height, crisp ? " shape-rendering=\"crispEdges\"" : "") +
         shapes_ + "</svg>\n";
}

}  // namespace osteon::app
