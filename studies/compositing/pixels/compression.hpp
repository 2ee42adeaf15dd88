#pragma once
/// @file
/// Compression of the pixels of a message by value. [Ono] mentions this compression as an option, but does not measure it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osteon::studies {

enum class value_code : std::uint8_t {
  runs,  ///< runs of equal pixels of 4 bytes; a run consists of the number of pixels up to 255, and of the pixel
  /// differences between each channel and the channel of the previous pixel, as runs of equal bytes; a ramp becomes a run
  differences,
};

/// Compress pixels of 4 bytes without loss.
std::vector<std::byte> compress(value_code kind, std::span<const std::byte> pixels);
/// @throws data_error if `code` is not a result of `compress` for this number of bytes
std::vector<std::byte> decompress(value_code kind, std::span<const std::byte> code, std::size_t bytes);

struct compression_figures {
  std::string picture, code;
  double share = 0;                     ///< number of bytes of the code divided by the number of bytes of the pixels
  double compressed = 0, restored = 0;  ///< number of bytes of pixels per CPU second
  /// link rate in bytes/s; below this rate, sending with compression is faster than sending without compression; 0: never
  double breaks_even = 0;
};

/// Measure both codes on pictures of one rank. The pictures are noise over a gradient (as in `osteon bench composite`), a
/// smooth ball on an empty background (as from a renderer), and a flat background. @param seconds CPU time of each
/// measurement
std::vector<compression_figures> compare_compression(int width, int height, double seconds);

}  // namespace osteon::studies
