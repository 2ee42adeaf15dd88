#pragma once
/// @file
/// Sequences of pictures as animated PNG. Browsers play it; other programs show the first picture.
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::io {

struct film_options {
  int frames_per_second = 12;  ///< 1 to 1000
  int last_frames = 12;        ///< duration of the last picture in frames, before the film repeats
};

/// Concatenate deflated pictures in a file, under a temporary name that is changed when it is complete.
/// @cite [PNG] @param frames files of write_png() of one size @return size in bytes
/// @throws usage_error without frames, data_error if a frame is not such a picture, machine_error if the film cannot be
/// written
/// @collective local @cost memory: one picture
std::int64_t write_animated_png(const std::string& path, const std::vector<std::string>& frames,
                                const film_options& how = {});

}  // namespace osteon::io
