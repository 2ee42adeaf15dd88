#pragma once
/// @file
/// `over` of any number of layers in one pass: accumulated in single precision, rounded once.
///
///     colour = front + (1 - front opacity) back,   opacity likewise
///
/// For RGBA8 input and output, the result is the exact value rounded to nearest, with an error of at most 0.5 / 255 for any
/// number of layers (plus 1e-5 / 255 per layer from the accumulator). Results do not depend on the division of pixels into
/// calls.
/// @cite [PorterDuff1984]
#include <cstdint>
#include <osteon/kernel/blend/pixel.hpp>
#include <span>

namespace osteon::kernel {

/// Pixels of one layer.
struct layer {
  pixel_format format;
  const std::byte* pixels = nullptr;
};

/// Blend `count` pixels of layers, front to back, into `out` (which may be one of them, if its format is the same); with
/// depth, select the nearest. A single layer is converted.
///
/// Formats may differ within a family: RGBA8, RGBA16 and sums of them, or RGBA16F and RGBA32F; with depth they must be
/// equal.
/// @throws usage_error if there is no layer, or the formats belong to different families
void blend(pixel_format format, std::byte* out, std::span<const layer> layers, std::int64_t count);

/// First pixel that is not premultiplied (a colour above the opacity), contains NaN, or has an opacity above 1; -1 if there
/// is none.
std::int64_t first_bad_pixel(pixel_format format, const std::byte* pixels, std::int64_t count);

/// Stored values of the four channels of a pixel, and its depth (0 without depth): 0 ... 255 for RGBA8. For messages and
/// references.
struct pixel_value {
  float channel[4] = {0, 0, 0, 0};
  float depth = 0;
};
pixel_value value_of(pixel_format format, const std::byte* pixel);

}  // namespace osteon::kernel
