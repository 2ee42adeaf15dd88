#pragma once
/// @file
/// Fragments: what a pixel holds in stretches of depth. For blocks that no order of visibility fits: each pixel is put in
/// order by itself.
#include <cstdint>
#include <span>

namespace osteon::studies {

/// A stretch of depth of one pixel.
struct fragment {
  std::int64_t pixel = 0;
  float z_front = 0, z_back = 0;
  float rgba[4] = {0, 0, 0, 0};  ///< premultiplied
};

/// Blend the fragments of each pixel, the one whose front is nearest in front.
///
/// Their order is total, by pixel, front, back and colour, so the picture does not depend on who had which fragment.
/// @param fragments are put in that order
/// @param first pixel of `rgba`, shape (pixels, 4), which holds all pixels of the fragments; nothing where there are none
/// @return number of fragments that begin before the one in front of them ends: there the picture is only an approximation
/// @cost O(m log m) for m fragments
std::int64_t blend_fragments(std::span<fragment> fragments, std::int64_t first, std::span<float> rgba);

}  // namespace osteon::studies
