#pragma once
/// @file
/// Two blends of RGBA8 pixels. The blends are compared with the exact blend. [Ono] mentions these blends as faster and less
/// accurate than the exact blend.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osteon::studies {

enum class fast_blend : std::uint8_t {
  shift,  ///< front + ((255 - opacity) back >> 8); this blend divides by 256 instead of 255, without rounding
  table,  ///< front + table[opacity][back]; the table contains 65,536 rounded products
};

/// Blend a layer behind the previous layers. Two layers are blended at a time. Each result is rounded to 8 bits.
void blend_behind(fast_blend kind, std::span<std::byte> front, std::span<const std::byte> back);

/// Speed and error of a blend. The layers consist of premultiplied noise over a gradient.
struct blend_figures {
  std::string name;            ///< exact, shift by 8, or table
  double rate = 0;             ///< number of result pixels per CPU second
  double worst = 0, mean = 0;  ///< difference from the exact composite in units of the last place of a channel
};

/// Measure the exact blend and both fast blends. There are `layers` layers of `pixels` pixels. @param seconds CPU time of
/// each measurement
std::vector<blend_figures> compare_blends(int layers, std::int64_t pixels, double seconds);

}  // namespace osteon::studies
