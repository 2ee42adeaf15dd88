#pragma once
/// @file
/// Runs of non-empty pixels.
#include <osteon/comm/composite/compositor.hpp>

namespace osteon::comm {

/// Rows of a rectangle as runs of pixels.
std::vector<plan::span> rows_of(const pixel_rectangle& active, int width);

/// `spans`, or, if fewer than three fifths of a sample of their pixels are non-empty, the runs of non-empty pixels.
/// Otherwise, testing all pixels costs more than blending them.
/// @param image pointer to pixel 0
std::vector<plan::span> active_runs(kernel::pixel_format format, const std::byte* image, std::vector<plan::span> spans);

}  // namespace osteon::comm
