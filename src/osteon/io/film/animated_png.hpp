#pragma once
/// @file
/// Pictures one after the other as an animated PNG, which browsers play and other programs show the first picture of.
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::io {

struct film_options {
  int frames_per_second = 12;  ///< 1 to 1000
  int last_frames = 12;        ///< as how many the last picture stays, before the film begins again
};

/// Put pictures behind each other, as they are deflated, under a temporary name that is changed when it is complete.
/// @cite [PNG] @param frames files of write_png() of one size @return bytes
/// @throws usage_error without frames, data_error if a file is no such picture, machine_error if the film cannot be written
/// @collective local @cost memory: one picture
std::int64_t write_animated_png(const std::string& path, const std::vector<std::string>& frames,
                                const film_options& how = {});

}  // namespace osteon::io
