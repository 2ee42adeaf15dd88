#include <osteon/kernel/blend/wide_pixel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/kernel/blend/blend.hpp>
#include <osteon/kernel/blend/half.hpp>

namespace osteon::kernel {

namespace {

struct wide {
  double high, low;
};

// Dekker's product and Knuth's sum of double-doubles.
wide multiply(wide a, wide b) {
  const double p = a.high * b.high;
  const double e = std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high);
  const double high = p + e;
  return {high, e - (high - p)};
}

wide add(wide a, wide b) {
  const double s = a.high + b.high;
  const double v = s - a.high;
  const double e = (a.high - (s - v)) + (b.high - v) + (a.low + b.low);
  const double high = s + e;
  return {high, e - (high - s)};
}

wide_pixel over(const wide_pixel& front, const wide_pixel& back) {
  wide_pixel result;
  const wide through{front.high[3], front.low[3]};
  for (int c = 0; c < 4; ++c) {
    wide value = multiply(through, {back.high[c], back.low[c]});
    if (c < 3) value = add({front.high[c], front.low[c]}, value);
    result.high[c] = value.high;
    result.low[c] = value.low;
  }
  return result;
}

}  // namespace

void blend(wide_pixel* own, const wide_pixel* received, std::int64_t count, bool received_in_front) {
  for (std::int64_t i = 0; i < count; ++i)
    own[i] = received_in_front ? over(received[i], own[i]) : over(own[i], received[i]);
}

void blend_wide(std::byte* out, std::span<const std::byte* const> layers, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i) * sizeof(wide_pixel);
    wide_pixel sum, front;
    std::memcpy(&sum, layers.back() + at, sizeof sum);
    for (std::size_t l = layers.size() - 1; l-- > 0;) {
      std::memcpy(&front, layers[l] + at, sizeof front);
      sum = over(front, sum);
    }
    std::memcpy(out + at, &sum, sizeof sum);
  }
}

void store(pixel_format format, std::byte* to, const wide_pixel& pixel) {
  if (format == pixel_format{colour_format::wide}) {
    std::memcpy(to, &pixel, sizeof pixel);
    return;
  }
  const std::array<float, 4> value = rounded(pixel);
  if (format == pixel_format{colour_format::rgba32f}) {
    std::memcpy(to, value.data(), sizeof value);
  } else if (format == pixel_format{colour_format::rgba16f}) {
    typedef float floats4 __attribute__((vector_size(16)));
    typedef std::uint32_t words4 __attribute__((vector_size(16)));
    typedef std::uint16_t halves4 __attribute__((vector_size(8)));
    const auto halves = __builtin_convertvector((to_half<floats4, words4>(std::bit_cast<floats4>(value))), halves4);
    std::memcpy(to, &halves, sizeof halves);
  } else if (format == pixel_format{colour_format::rgba8}) {
    const auto level = [](float v, float most) {
      return static_cast<std::uint8_t>(std::min(std::max(0.0F, std::min(1.0F, v)) * 255 + 0.5F, most));
    };
    const std::uint8_t opacity = level(value[3], 255);
    const std::uint8_t bytes[4] = {level(value[0], opacity), level(value[1], opacity), level(value[2], opacity), opacity};
    std::memcpy(to, bytes, sizeof bytes);
  } else {
    throw usage_error(
        fmt::format("pixel format {}: not supported by ray casting; use rgba8, rgba16f, rgba32f or wide", name_of(format)));
  }
}

void to_floats(pixel_format format, float* to, const std::byte* pixels, std::int64_t count) {
  if (format.colour == colour_format::wide) {
    for (std::int64_t i = 0; i < count; ++i) {
      wide_pixel pixel;
      std::memcpy(&pixel, pixels + i * static_cast<std::int64_t>(sizeof pixel), sizeof pixel);
      const auto value = rounded(pixel);
      std::copy(value.begin(), value.end(), to + 4 * i);
    }
    return;
  }
  const layer from[] = {{format, pixels}};
  blend(unrounded(format), reinterpret_cast<std::byte*>(to), from, count);
  if (format.colour == colour_format::rgba8)
    for (std::int64_t i = 0; i < 4 * count; ++i) to[i] *= 1.0F / 255;
}

std::array<float, 4> rounded(const wide_pixel& pixel) {
  const double opacity = (1 - pixel.high[3]) - pixel.low[3];
  return {static_cast<float>(pixel.high[0] + pixel.low[0]), static_cast<float>(pixel.high[1] + pixel.low[1]),
          static_cast<float>(pixel.high[2] + pixel.low[2]), static_cast<float>(opacity)};
}

}  // namespace osteon::kernel
