#pragma once
/// @file
/// Runs of pixels that are not empty.
#include <osteon/comm/compositor.hpp>

namespace osteon::comm {

/// The rows of `active`; where a sample of them says that less than three fifths are not empty, the runs of pixels that are
/// not, because looking at all costs more than blending them.
/// @param image shape (any, width)
std::vector<plan::span> active_runs(kernel::pixel_format format, const std::byte* image, int width,
                                    const pixel_rectangle& active);

}  // namespace osteon::comm
