#pragma once
/// @file
/// Composited pictures and their conversion to bytes.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::render {

/// Time between the end of the last ray and the finished rows of a picture.
struct join_time {
  double seconds = 0;      ///< wall time, measured after the last rank has cast its rays
  double cpu_seconds = 0;  ///< CPU time of all threads of this rank
};

/// A picture or some rows of a picture, as premultiplied linear RGBA in float. The shape is (height, width, 4), and the top
/// row is first.
struct image {
  int width = 0, height = 0;
  int first_row = 0;         ///< number of the first stored row
  std::int64_t samples = 0;  ///< number of samples that this rank has computed
  std::vector<float> rgba;
  /// Cycle of ranks without a visibility order (describe_cycle). The list is usually empty. Each rank hides a part of the
  /// next rank, and the last rank hides a part of the first rank. With a cycle, the partial images are sorted separately in
  /// every pixel. The cycle does not change the picture, but increases the messages.
  std::vector<int> cycle{};
  join_time joining{};
  std::string composited{};  ///< method, transport, and reason for the selection; empty without compositing
};

/// Blend the picture over its background, and convert the result to 8-bit sRGB with alpha 255. The result has the shape of
/// the picture.
std::vector<std::uint8_t> to_rgba8(const image& picture, std::array<float, 3> background);

}  // namespace osteon::render
