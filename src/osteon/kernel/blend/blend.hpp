#pragma once
/// @file
/// The operator `over` for any number of layers in one pass. Values are accumulated in single precision and rounded once.
///
///     colour = front + (1 - front opacity) back,   opacity likewise
///
/// For RGBA8 input and output, the result is the exact value rounded to nearest. The rounding error is at most 0.5 / 255 for
/// any number of layers. The accumulator adds an error of 1e-5 / 255 per layer. Results do not depend on the division of
/// pixels into calls.
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

/// Blend `count` pixels of layers, front to back, into `out`. `out` may be one of the layers if the formats are equal. For
/// formats with depth, select the nearest pixel instead. A single layer is converted.
///
/// Formats must belong to one family: RGBA8, RGBA16 and their sums, or RGBA16F and RGBA32F. Formats with depth must be
/// equal.
/// @throws usage_error if there is no layer, or the formats belong to different families
void blend(pixel_format format, std::byte* out, std::span<const layer> layers, std::int64_t count);

/// First pixel with a colour above the opacity (not premultiplied), an opacity above 1, or NaN; -1 if there is none.
std::int64_t first_bad_pixel(pixel_format format, const std::byte* pixels, std::int64_t count);

/// Stored values of the four channels of a pixel (0 ... 255 for RGBA8), and its depth (0 without depth). Error messages and
/// reference computations use these values.
struct pixel_value {
  float channel[4] = {0, 0, 0, 0};
  float depth = 0;
};
pixel_value value_of(pixel_format format, const std::byte* pixel);

}  // namespace osteon::kernel
