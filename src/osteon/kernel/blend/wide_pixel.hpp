#pragma once
/// @file
/// Pixels with enough precision for `over` to be associative in practice.
///
/// In floating point, blending (a over b) over c differs from a over (b over c) in the last bits, so a picture would depend
/// on the distribution of planes over ranks. Each channel is therefore a sum of two doubles (106 bits): the grouping changes
/// a value by a relative 1e-30, and the value is rounded to float (24 bits) once, at the end. Pictures differ only if a
/// value is within 1e-30 of a rounding boundary: a probability of 1e-22 per value.
#include <array>
#include <cstdint>
#include <osteon/kernel/blend/pixel.hpp>
#include <span>

namespace osteon::kernel {

/// Premultiplied red, green, blue, and the transmittance; a channel has the value high + low.
struct alignas(32) wide_pixel {
  double high[4] = {0, 0, 0, 1};
  double low[4] = {0, 0, 0, 0};
};

/// Blend `count` received pixels with own pixels, in place; in front of them if `received_in_front`, otherwise behind.
void blend(wide_pixel* own, const wide_pixel* received, std::int64_t count, bool received_in_front);

/// Blend layers of `wide` pixels, front to back, into `out`, which may be one of them. Pixels need not be aligned.
void blend_wide(std::byte* out, std::span<const std::byte* const> layers, std::int64_t count);

/// Round a pixel to RGBA8 (colours up to the opacity), RGBA16F, RGBA32F or `wide`, which keeps it. @throws usage_error
void store(pixel_format format, std::byte* to, const wide_pixel& pixel);

/// Convert pixels from the formats of store() to premultiplied red, green, blue and opacity.
void to_floats(pixel_format format, float* to, const std::byte* pixels, std::int64_t count);

/// Convert to premultiplied red, green, blue and opacity, rounded once.
std::array<float, 4> rounded(const wide_pixel& pixel);

}  // namespace osteon::kernel
