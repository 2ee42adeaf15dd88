#pragma once
/// @file
/// Fragments are intervals of depth of a pixel. Fragments are used for blocks without a visibility order, because each pixel
/// is sorted separately.
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
/// The order of fragments is total: by pixel, front, back and colour. Therefore the picture does not depend on the
/// distribution of fragments over ranks.
/// @param fragments input; the function sorts the fragments in this order
/// @param first first pixel of `rgba`. @param rgba array of shape (pixels, 4) for all pixels of the fragments; zero in
/// pixels without fragments
/// @return number of fragments that start before the end of the fragment in front. In the pixels of these fragments, the
/// picture is an approximation
/// @cost O(m log m) for m fragments
std::int64_t blend_fragments(std::span<fragment> fragments, std::int64_t first, std::span<float> rgba);

}  // namespace osteon::studies
