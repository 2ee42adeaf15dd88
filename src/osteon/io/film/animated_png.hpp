#pragma once
/// @file
/// Films in animated PNG format. Browsers play the film; other programs display its first picture.
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::io {

struct film_options {
  int frames_per_second = 12;  ///< 1 to 1000
  int last_frames = 12;        ///< duration of the last picture in frames
};

/// Write a film of compressed pictures. The pictures are not compressed again. The file has a temporary name until the file
/// is complete.
/// @cite [PNG] @param frames files written by write_png(), of equal size in pixels @return size of the film in bytes
/// @throws usage_error without frames, data_error if a frame is not a PNG picture or has another size, machine_error if the
/// film cannot be written
/// @collective local @cost memory: one picture
std::int64_t write_animated_png(const std::string& path, const std::vector<std::string>& frames,
                                const film_options& options = {});

}  // namespace osteon::io
