#pragma once
// Partial images for tests of compositing, and the exact composite of these images.
#include <cmath>
#include <cstring>
#include <limits>
#include <osteon/compositing/pixel_rectangle.hpp>
#include <osteon/kernel/blend/blend.hpp>
#include <span>
#include <vector>

namespace osteon::test {

inline double whole(kernel::colour_format c) {
  return c == kernel::colour_format::rgba8 ? 255 : c == kernel::colour_format::rgba16 ? 65535 : 1;
}

// A pseudo-random number in [0, 1) that is equal on all ranks.
inline double hashed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15u + b * 0xbf58476d1ce4e5b9u + c * 0x94d049bb133111ebu + 1;
  x ^= x >> 31;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

struct partial_image {
  kernel::pixel_format format;
  int width, height, rank;
  unsigned frame;
  compositing::pixel_rectangle active;

  // The stored pixel, which is empty outside the active rectangle. On odd ranks of formats without depth, two of three
  // patches of 7 x 5 pixels inside the rectangle are empty.
  void put(std::int64_t pixel, std::byte* to, bool garbage) const {
    const auto row = pixel / width, column = pixel % width;
    const bool inside = row >= active.top && row < active.bottom && column >= active.left && column < active.right;
    const auto seed = static_cast<std::uint64_t>(rank) * 1000 + frame;
    const auto value = [&](std::uint64_t k) { return hashed(seed, static_cast<std::uint64_t>(pixel), k); };
    const bool hole = !format.depth && rank % 2 == 1 && (column / 7 + row / 5) % 3 != 0;
    std::memset(to, 0, format.bytes());
    if (!inside && garbage) std::memset(to, 0x11 + rank, format.bytes());
    if (!inside || hole) return;
    const double opacity = value(0) < 0.1 ? 1 : value(1);
    for (std::uint64_t c = 0; c < 4; ++c) {
      const double channel = c == 3 ? opacity : opacity * value(2 + c);
      std::byte* const at = to + c * kernel::bytes_of(format.colour) / 4;
      if (format.colour == kernel::colour_format::rgba8) {
        *at = static_cast<std::byte>(std::floor(channel * 255 + 0.5));
      } else if (format.colour == kernel::colour_format::rgba32f) {
        const auto v = static_cast<float>(channel);
        std::memcpy(at, &v, sizeof v);
      } else if (format.colour == kernel::colour_format::rgba16) {
        const auto v = static_cast<std::uint16_t>(std::floor(channel * 65535 + 0.5));
        std::memcpy(at, &v, sizeof v);
      } else {  // half-precision values that are easy to encode: multiples of 1 / 1024 from 1 / 2 on, and zero
        const double steps = std::floor(channel * 1024);
        const auto v = static_cast<std::uint16_t>(steps < 512 ? 0 : steps >= 1024 ? 0x3c00 : 0x3800 + 2 * (steps - 512));
        std::memcpy(at, &v, sizeof v);
      }
    }
    if (format.depth) {
      const auto z = static_cast<float>(std::floor(8 * value(9)));  // ties are frequent
      std::memcpy(to + kernel::bytes_of(format.colour), &z, sizeof z);
    }
  }
  void render(std::span<std::byte> to, bool garbage) const {
    for (std::int64_t i = 0; i < std::int64_t{width} * height; ++i)
      put(i, to.data() + static_cast<std::size_t>(i) * format.bytes(), garbage);
  }
};

struct exact_pixel {
  double channel[4];
  double depth;
};

// The composite of images in the order of visibility, computed by the definition.
inline exact_pixel exact(std::span<const partial_image> images, std::int64_t pixel) {
  const kernel::pixel_format format = images[0].format;
  exact_pixel result{{0, 0, 0, 0}, std::numeric_limits<double>::infinity()};
  for (std::size_t l = images.size(); l-- > 0;) {
    const auto& a = images[l].active;
    const auto row = pixel / images[l].width, column = pixel % images[l].width;
    if (row < a.top || row >= a.bottom || column < a.left || column >= a.right) continue;
    std::byte bytes[20];
    images[l].put(pixel, bytes, false);
    const auto v = kernel::value_of(format, bytes);
    if (format.depth && v.depth > result.depth) continue;
    const double through = format.depth ? 0 : 1 - v.channel[3] / whole(format.colour);
    for (int c = 0; c < 4; ++c) result.channel[c] = v.channel[c] / whole(format.colour) + through * result.channel[c];
    result.depth = v.depth;
  }
  return result;
}

}  // namespace osteon::test
