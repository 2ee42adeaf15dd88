#pragma once
/// @file
/// A transfer function as a user writes it.
#include <functional>
#include <optional>
#include <osteon/render/picture.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// `VALUE:OPACITY` or `VALUE:OPACITY:#RRGGBB`.
struct written_point {
  double value = 0;            ///< in the field's unit
  bool is_percentile = false;  ///< written `90%`: the value below which so many percent of the field's values lie
  float opacity = 0;           ///< of a path of a hundredth of the domain's diagonal
  std::optional<std::array<float, 3>> colour;  ///< linear; absent: the map's
};

/// Control points that are joined by commas.
/// @throws usage_error that names the point and what it should be
std::vector<written_point> parse_control_points(const std::string& text);

/// The transfer function of written points whose percentiles have become values. Between two points without a colour the map
/// is followed, else colours are mixed.
/// @param colour the map's colour of a value
/// @throws usage_error if the values do not rise
std::vector<render::control_point> transfer_of(const std::vector<written_point>& points,
                                               const std::function<std::array<float, 3>(double)>& colour);

}  // namespace osteon::job
