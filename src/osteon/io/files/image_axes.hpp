#pragma once
/// @file
/// Axes of an image in the space of the patient or of the scanner, as the provenance of models and results states them.
#include <array>
#include <optional>
#include <string>

namespace osteon::io {

/// Direction cosines, row by row: element 3 r + c is component r of the image's axis c, in the order x, y, z.
using image_axes = std::array<double, 9>;

/// None if the image states no axes, or not nine numbers. @param provenance_json of a model or a results file
/// @collective local
std::optional<image_axes> axes_in(const std::string& provenance_json);

/// Of a results file or a model. Its bytes are not checked: call check_whole() first.
/// @throws data_error if the file is none of osteon's @collective local
std::optional<image_axes> axes_in_file(const std::string& path);

/// Whether the axes are a mirror image of right-handed ones; without axes they are right-handed.
bool is_left_handed(const std::optional<image_axes>& axes);

}  // namespace osteon::io
