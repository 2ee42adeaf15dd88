#pragma once
/// @file
/// A fragment is an interval of depth of a pixel. Fragments are used for blocks without a visibility order, because the
/// fragments of each pixel are sorted separately.
#include <cstdint>
#include <span>

namespace osteon::studies {

/// An interval of depth of one pixel.
struct fragment {
  std::int64_t pixel = 0;
  float z_front = 0, z_back = 0;
  float rgba[4] = {0, 0, 0, 0};  ///< premultiplied colour and opacity
};

/// Blend the fragments of each pixel in the order of the depth of their front.
///
/// The order of fragments is total: by pixel, front, back and colour. The picture is therefore independent of the
/// distribution of fragments over ranks.
/// @param fragments fragments; the function sorts the fragments in this order
/// @param first first pixel of `rgba`. @param rgba array of shape (pixels, 4) for all pixels of the fragments; zero in
/// pixels without fragments
/// @return number of fragments that begin before the end of the fragment in front of them. In the pixels of these fragments,
/// the picture is an approximation
/// @cost O(m log m) time for m fragments
std::int64_t blend_fragments(std::span<fragment> fragments, std::int64_t first, std::span<float> rgba);

}  // namespace osteon::studies
