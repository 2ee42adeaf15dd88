#pragma once
/// @file
/// Fragments: intervals of depth of a pixel, for blocks without an order of visibility: each pixel is sorted by
/// itself.
#include <cstdint>
#include <span>

namespace osteon::studies {

/// An interval of depth of one pixel.
struct fragment {
  std::int64_t pixel = 0;
  float z_front = 0, z_back = 0;
  float rgba[4] = {0, 0, 0, 0};  ///< premultiplied
};

/// Blend the fragments of each pixel, ordered by the depth of their front.
///
/// Their order is total, by pixel, front, back and colour, so the picture does not depend on their distribution.
/// @param fragments are sorted in that order
/// @param first pixel of `rgba`, shape (pixels, 4), which contains all pixels of the fragments; zero without fragments
/// @return number of fragments that start before the end of the fragment in front, where the picture is only an
/// approximation
/// @cost O(m log m) for m fragments
std::int64_t blend_fragments(std::span<fragment> fragments, std::int64_t first, std::span<float> rgba);

}  // namespace osteon::studies
