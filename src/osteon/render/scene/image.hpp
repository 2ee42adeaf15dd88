#pragma once
/// @file
/// Composited pictures and their conversion to bytes.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::render {

/// Time between the last ray and the finished rows of a picture.
struct join_time {
  double seconds = 0;      ///< wall time after the last rank has cast its rays
  double cpu_seconds = 0;  ///< CPU time of this rank, all threads
};

/// A picture, or rows of it, in linear RGBA float, premultiplied, rows from top to bottom, shape (height, width, 4).
struct image {
  int width = 0, height = 0;
  int first_row = 0;         ///< first row in the picture
  std::int64_t samples = 0;  ///< number of samples of this rank
  std::vector<float> rgba;
  /// Cycle of ranks of which each hides a part of the next, and the last a part of the first (words_of_cycle); usually
  /// empty. With a cycle, every pixel is sorted separately: the same picture, with more bytes.
  std::vector<int> cycle{};
  join_time joining{};
  std::string composited{};  ///< description of method, transport and reason; empty without compositing
};

/// Convert the picture over its background to 8-bit sRGB with straight alpha, 255 everywhere; shape as the picture.
std::vector<std::uint8_t> to_rgba8(const image& picture, std::array<float, 3> background);

}  // namespace osteon::render
