#pragma once
/// @file
/// Pixels with a precision for which `over` is associative in practice.
///
/// In floating point, (a over b) over c differs from a over (b over c) in the last bits. A picture would therefore depend on
/// the distribution of planes over ranks. To avoid this dependence, each channel is a sum of two doubles (106 bits). The
/// grouping of layers causes a relative change of 1e-30 in a value, and the final value is rounded to float (24 bits).
/// Pictures differ only if a value is within 1e-30 of a rounding boundary. The probability of this event is 1e-22 per value.
#include <array>
#include <cstdint>
#include <osteon/kernel/blend/pixel.hpp>
#include <span>

namespace osteon::kernel {

/// Premultiplied red, green and blue, and the transmittance. The value of a channel is high + low.
struct alignas(32) wide_pixel {
  double high[4] = {0, 0, 0, 1};
  double low[4] = {0, 0, 0, 0};
};

/// Blend `count` received pixels with own pixels in place. Received pixels are in front if `received_in_front`, otherwise
/// behind.
void blend(wide_pixel* own, const wide_pixel* received, std::int64_t count, bool received_in_front);

/// Blend layers of `wide` pixels, front to back, into `out`, which may be one of the layers. Pixels need not be aligned.
void blend_wide(std::byte* out, std::span<const std::byte* const> layers, std::int64_t count);

/// Convert a pixel to RGBA8 (colours are limited to the opacity), RGBA16F or RGBA32F with rounding, or to `wide` without
/// change. @throws usage_error for other formats
void store(pixel_format format, std::byte* to, const wide_pixel& pixel);

/// Convert pixels from the formats of store() to premultiplied red, green, blue and opacity.
void to_floats(pixel_format format, float* to, const std::byte* pixels, std::int64_t count);

/// Convert to premultiplied red, green, blue and opacity with a single rounding.
std::array<float, 4> rounded(const wide_pixel& pixel);

}  // namespace osteon::kernel
