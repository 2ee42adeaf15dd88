#pragma once
/// @file
/// Pixels that are wide enough for `over` to be associative in practice.
///
/// In floating point, blending (a over b) over c differs from a over (b over c) in the last bits, so a picture would
/// depend on how the planes are dealt out to ranks. Each channel is therefore a sum of two doubles (106 bits): the
/// grouping moves a value by about 1e-30 of it, and the value is rounded to float (24 bits) once, at the end. For the
/// pictures to differ, a value would have to lie within 1e-30 of a rounding boundary: a chance of 1e-22 per value.
#include <array>
#include <cstdint>
#include <osteon/kernel/blend/pixel.hpp>
#include <span>

namespace osteon::kernel {

/// Premultiplied red, green, blue, and the transmittance; the value of a channel is high + low.
struct alignas(32) wide_pixel {
  double high[4] = {0, 0, 0, 1};
  double low[4] = {0, 0, 0, 0};
};

/// Blend `count` received pixels with the own ones, in place; `received_in_front`: they hide the own ones.
void blend(wide_pixel* own, const wide_pixel* received, std::int64_t count, bool received_in_front);

/// Blend layers of `wide` pixels, front to back, into `out`, which may be one of them. Pixels need not be aligned.
void blend_wide(std::byte* out, std::span<const std::byte* const> layers, std::int64_t count);

/// Round a pixel to RGBA8 (colours up to the opacity), RGBA16F, RGBA32F or `wide`, which keeps it. @throws usage_error
void store(pixel_format format, std::byte* to, const wide_pixel& pixel);

/// Pixels as premultiplied red, green, blue and opacity, from the formats of store().
void to_floats(pixel_format format, float* to, const std::byte* pixels, std::int64_t count);

/// Premultiplied red, green, blue and opacity, rounded once.
std::array<float, 4> rounded(const wide_pixel& pixel);

}  // namespace osteon::kernel
