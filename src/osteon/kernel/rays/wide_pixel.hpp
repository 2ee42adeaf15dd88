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

namespace osteon::kernel {

/// Premultiplied red, green, blue, and the transmittance; the value of a channel is high + low.
struct alignas(32) wide_pixel {
  double high[4] = {0, 0, 0, 1};
  double low[4] = {0, 0, 0, 0};
};

/// Blend `count` received pixels with the own ones, in place; `received_in_front`: they hide the own ones.
void blend(wide_pixel* own, const wide_pixel* received, std::int64_t count, bool received_in_front);

/// Premultiplied red, green, blue and opacity, rounded once.
std::array<float, 4> rounded(const wide_pixel& pixel);

}  // namespace osteon::kernel
