#pragma once
/// @file
/// Runs of pixels that are not empty.
#include <osteon/comm/composite/compositor.hpp>

namespace osteon::comm {

/// The rows of a rectangle as runs of pixels.
std::vector<plan::span> rows_of(const pixel_rectangle& active, int width);

/// `spans`, or, where a sample of them says that less than three fifths are not empty, the runs of pixels that are not,
/// because looking at all costs more than blending them.
/// @param image pixel 0
std::vector<plan::span> active_runs(kernel::pixel_format format, const std::byte* image, std::vector<plan::span> spans);

}  // namespace osteon::comm
