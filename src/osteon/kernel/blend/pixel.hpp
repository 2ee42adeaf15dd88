#pragma once
/// @file
/// Pixel formats of partial images. Colours are premultiplied by opacity everywhere.
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace osteon::kernel {

/// Format of the four channels red, green, blue and opacity: 8 or 16 bits for [0, 1], or half or single precision. `sum` is
/// the unrounded sum of formats with 8 or 16 bits, in single precision and in units of 1 / 255. `wide` is a wide_pixel with
/// visually exact blending. A wide_pixel stores colours, and transmittance instead of opacity, with 106 bits each.
enum class colour_format : std::uint8_t { rgba8, rgba16, rgba16f, rgba32f, sum, wide };

constexpr std::size_t bytes_of(colour_format colour) {
  switch (colour) {
    case colour_format::rgba8:
      return 4;
    case colour_format::rgba32f:
    case colour_format::sum:
      return 16;
    case colour_format::wide:
      return 64;
    default:
      return 8;
  }
}

/// A colour, followed by an optional depth (float, smaller is nearer).
///
/// Pixels without depth are blended in visibility order. If pixels have depth, the nearest pixel is selected; if depths are
/// equal, the pixel of the front layer is selected.
struct pixel_format {
  colour_format colour = colour_format::rgba8;
  bool depth = false;

  constexpr std::size_t bytes() const { return bytes_of(colour) + (depth ? sizeof(float) : 0); }
  friend bool operator==(const pixel_format&, const pixel_format&) = default;
};

/// Format of intermediate results: the next wider format. Only the final result is rounded to `format`. Pixels with depth
/// are not blended and keep their format.
constexpr pixel_format wider(pixel_format format) {
  if (format.depth) return format;
  if (format.colour == colour_format::rgba8) return {colour_format::rgba16, false};
  if (format.colour == colour_format::rgba16f) return {colour_format::rgba32f, false};
  return format;
}

/// Lossless format of blended layers. A blend with such a sum as the last layer is bitwise equal to a single blend of all
/// layers.
constexpr pixel_format unrounded(pixel_format format) {
  if (format.depth || format.colour == colour_format::wide) return format;
  const bool fixed = format.colour == colour_format::rgba8 || format.colour == colour_format::rgba16;
  return {fixed ? colour_format::sum : colour_format::rgba32f, false};
}

/// `rgba8`, `rgba16f+z` ...
std::string_view name_of(pixel_format format);

/// Set pixels to the empty pixel: transparent, and infinitely far.
void clear(pixel_format format, std::byte* pixels, std::int64_t count);

/// True if a pixel of a format without depth is known to be empty.
bool is_empty(pixel_format format, const std::byte* pixel);

}  // namespace osteon::kernel
