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
  double cpu_seconds = 0;  ///< CPU time of all threads of this rank
};

/// A picture or some of its rows: premultiplied linear RGBA in float, rows from top to bottom, shape (height, width, 4).
struct image {
  int width = 0, height = 0;
  int first_row = 0;         ///< row of the picture that is stored first
  std::int64_t samples = 0;  ///< number of samples of this rank
  std::vector<float> rgba;
  /// Cycle of ranks without a visibility order (describe_cycle); usually empty. Each rank hides a part of the next rank, and
  /// the last rank hides a part of the first rank. With a cycle, the partial images are sorted in every pixel separately.
  /// The picture does not change, but the messages are larger.
  std::vector<int> cycle{};
  join_time joining{};
  std::string composited{};  ///< method, transport and the reason of the selection; empty without compositing
};

/// Convert the picture over its background to 8-bit sRGB with alpha 255. The result has the shape of the picture.
std::vector<std::uint8_t> to_rgba8(const image& picture, std::array<float, 3> background);

}  // namespace osteon::render
