#pragma once
/// @file
/// Runs of non-empty pixels.
#include <osteon/comm/composite/compositor.hpp>

namespace osteon::comm {

/// The rows of a rectangle as runs of pixels.
std::vector<plan::span> rows_of(const pixel_rectangle& active, int width);

/// Runs of non-empty pixels in `spans`. The function tests a sample of the pixels. If at least three fifths of the sample
/// are non-empty, the function returns `spans`. For such images, a test of all pixels would take longer than blending all
/// pixels.
/// @param image pointer to pixel 0
std::vector<plan::span> active_runs(kernel::pixel_format format, const std::byte* image, std::vector<plan::span> spans);

}  // namespace osteon::comm
