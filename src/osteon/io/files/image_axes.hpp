#pragma once
/// @file
/// Axes of an image in patient or scanner coordinates, read from the provenance of models and results.
#include <array>
#include <optional>
#include <string>

namespace osteon::io {

/// Direction cosines by rows: element 3 r + c is component r of image axis c, in the order x, y, z.
using image_axes = std::array<double, 9>;

/// Parse the axes. Returns an empty value if the provenance does not contain axes of nine numbers.
/// @param provenance_json provenance of a model or results file
/// @collective local
std::optional<image_axes> axes_in(const std::string& provenance_json);

/// Read the axes of a results file or a model. The integrity of the file is not checked; call check_whole() first.
/// @throws data_error if the file is not an osteon file @collective local
std::optional<image_axes> axes_in_file(const std::string& path);

/// Return true if the axes are left-handed, and false if there are no axes.
bool is_left_handed(const std::optional<image_axes>& axes);

}  // namespace osteon::io
