#pragma once
/// @file
/// A picture as it was composited, and as bytes.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::render {

/// What lies between the last ray and the rows of a picture.
struct join_time {
  double seconds = 0;      ///< from when the last rank has cast its rays
  double cpu_seconds = 0;  ///< of this rank, all threads
};

/// A picture, or rows of it, in linear RGBA float, premultiplied, rows from top to bottom, shape (height, width, 4).
struct image {
  int width = 0, height = 0;
  int first_row = 0;         ///< of the picture
  std::int64_t samples = 0;  ///< that this rank took on the way, on every rank
  std::vector<float> rgba;
  /// Empty, or ranks of which each hides a part of the next one, and the last one of the first (words_of_cycle). Then every
  /// pixel was put in order by itself: the same picture, for more bytes.
  std::vector<int> cycle{};
  join_time joining{};
  std::string composited{};  ///< by which method and transport, and why, in words; empty if nothing was
};

/// The picture over its background, 8-bit sRGB, straight alpha, which is 255 everywhere; shape as the picture's.
std::vector<std::uint8_t> to_rgba8(const image& picture, std::array<float, 3> background);

}  // namespace osteon::render
