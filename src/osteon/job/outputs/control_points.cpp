#include <osteon/job/outputs/render_file.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <osteon/base/error.hpp>
#include <string_view>

namespace osteon::job {

namespace {

// Remove and return the text before a separator. The separator is also removed.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<std::array<float, 3>> linear_colour(std::string_view text) {
  std::uint32_t bytes = 0;
  if (text.size() != 7 || text[0] != '#') return {};
  const auto [end, fault] = std::from_chars(text.data() + 1, text.data() + 7, bytes, 16);
  if (fault != std::errc() || end != text.data() + 7) return {};
  std::array<float, 3> colour{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double srgb = (bytes >> (16 - 8 * c) & 255) / 255.0;
    colour[c] = static_cast<float>(srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4));
  }
  return colour;
}

written_point parse_point(std::string_view text) {
  const auto refuse = [whole = text](std::string_view part, const char* wanted) {
    throw usage_error(
        fmt::format("--points: '{}' of the point '{}' must be {}; a point is VALUE:OPACITY or VALUE:OPACITY:#RRGGBB, e.g. "
                    "0:0,90%:0.1,0.02:0.5:#ffffff",
                    part, whole, wanted));
  };
  written_point point;
  std::string_view value = take_until(text, ':');
  const std::string_view opacity = take_until(text, ':'), written = value;
  point.is_percentile = value.ends_with('%');
  if (point.is_percentile) value.remove_suffix(1);
  const auto number = finite_number(value), share = finite_number(opacity);
  if (!number) refuse(written, "a number, or a percentage");
  if (point.is_percentile && !(*number >= 0 && *number <= 100)) refuse(written, "a percentage from 0 to 100");
  if (!share || !(*share >= 0 && *share <= 1)) refuse(opacity, "an opacity from 0 to 1");
  point.value = *number;
  point.opacity = static_cast<float>(*share);
  if (!text.empty() && !(point.colour = linear_colour(text))) refuse(text, "a colour such as #ff8000");
  return point;
}

}  // namespace

std::vector<written_point> parse_control_points(const std::string& text) {
  std::vector<written_point> points;
  for (std::string_view rest = text; !rest.empty();) points.push_back(parse_point(take_until(rest, ',')));
  return points;
}

std::vector<render::control_point> transfer_of(const std::vector<written_point>& points,
                                               const std::function<std::array<float, 3>(double)>& colour) {
  constexpr int steps = 16;  // number of samples in a map
  std::vector<render::control_point> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const written_point& b = points[i];
    if (i > 0) {
      const written_point& a = points[i - 1];
      if (!(a.value <= b.value))
        throw usage_error(fmt::format("--points: the value {:g} follows {:g}; the values must increase", b.value, a.value));
      for (int k = 1; k < steps && !a.colour && !b.colour && a.value < b.value; ++k) {
        const double t = static_cast<double>(k) / steps, value = a.value + t * (b.value - a.value);
        result.push_back({value, colour(value), a.opacity + static_cast<float>(t) * (b.opacity - a.opacity)});
      }
    }
    result.push_back({b.value, b.colour ? *b.colour : colour(b.value), b.opacity});
  }
  return result;
}

}  // namespace osteon::job
