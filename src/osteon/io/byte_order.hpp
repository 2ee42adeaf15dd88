#pragma once
/// @file
/// Conversion between big-endian and little-endian values.
#include <algorithm>
#include <cstddef>
#include <span>

namespace osteon::io {

/// Reverse the bytes of each value. @param values values of `width` bytes
inline void reverse_bytes(std::span<std::byte> values, std::size_t width) {
  if (width < 2) return;
  for (std::size_t i = 0; i + width <= values.size(); i += width)
    std::reverse(values.begin() + static_cast<std::ptrdiff_t>(i), values.begin() + static_cast<std::ptrdiff_t>(i + width));
}

}  // namespace osteon::io
