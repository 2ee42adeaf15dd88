#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/kernel/blend/blend_parts.hpp>
#include <osteon/kernel/blend/half.hpp>
#include <osteon/kernel/blend/wide_pixel.hpp>

namespace osteon::kernel {

namespace {

typedef std::uint32_t word1 __attribute__((vector_size(4)));
typedef float float1 __attribute__((vector_size(4)));

// Formats of one family can be blended with each other.
enum class family { fixed_point, floating_point, wide };
family family_of(colour_format colour) {
  if (colour == colour_format::wide) return family::wide;
  const bool floating = colour == colour_format::rgba16f || colour == colour_format::rgba32f;
  return floating ? family::floating_point : family::fixed_point;
}

// Fast check of RGBA8. The check subtracts colours from opacities in fields of 16 bits. Bit 8 of the minuend is set; a
// borrow clears this bit.
bool all_premultiplied(const std::byte* pixels, std::int64_t count) {
  std::uint32_t lost = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t w;
    std::memcpy(&w, pixels + 4 * i, 4);
    const std::uint32_t opacity = w >> 24;
    lost |= ~((opacity * 0x10001 | 0x1000100) - (w & 0xff00ff)) & 0x1000100;
    lost |= ~((opacity | 0x100) - ((w >> 8) & 0xff)) & 0x100;
  }
  return lost == 0;
}

// Pixels of `Words` words; the last word is the depth.
template <int Words>
void take_nearest_of(std::byte* out, std::span<const layer> layers, std::int64_t count) {
  struct pixel {
    std::uint32_t word[Words];
  };
  constexpr std::int64_t block = 512;  // number of pixels with results that remain in the first-level cache for all layers
  for (std::int64_t begin = 0; begin < count; begin += block) {
    pixel best[block];
    const std::int64_t size = std::min(block, count - begin);
    const auto from = [&](const layer& l) { return l.pixels + static_cast<std::size_t>(begin) * sizeof(pixel); };
    std::memcpy(best, from(layers[0]), static_cast<std::size_t>(size) * sizeof(pixel));
    for (const layer& l : layers.subspan(1)) {
      const std::byte* const pixels = from(l);
      for (std::int64_t i = 0; i < size; ++i) {
        pixel p;
        std::memcpy(&p, pixels + static_cast<std::size_t>(i) * sizeof(pixel), sizeof p);
        const bool nearer = std::bit_cast<float>(p.word[Words - 1]) < std::bit_cast<float>(best[i].word[Words - 1]);
        for (int w = 0; w < Words; ++w) best[i].word[w] = nearer ? p.word[w] : best[i].word[w];
      }
    }
    std::memcpy(out + static_cast<std::size_t>(begin) * sizeof(pixel), best, static_cast<std::size_t>(size) * sizeof(pixel));
  }
}

// Select the nearest pixel for pixels of two words, several pixels at a time. Both words of the pixel with the smaller depth
// are selected.
void select_nearest_of_two_words(std::byte* out, std::span<const layer> layers, std::int64_t count) {
  constexpr std::int64_t at_once = blend_words / 2;
  const auto depths = [](const words& w) { return (floats)shuffled(w, w, [](int i) { return i | 1; }); };
  for (std::int64_t at = 0; at < count; at += at_once) {
    words best;
    std::memcpy(&best, layers[0].pixels + 8 * at, sizeof best);
    for (const layer& l : layers.subspan(1)) {
      words other;
      std::memcpy(&other, l.pixels + 8 * at, sizeof other);
      const integers nearer = depths(other) < depths(best);
      best = ((words)nearer & other) | (~(words)nearer & best);
    }
    std::memcpy(out + 8 * at, &best, sizeof best);
  }
}

}  // namespace

void select_nearest(pixel_format format, std::byte* out, std::span<const layer> layers, std::int64_t count) {
  if (format.colour == colour_format::rgba8)
    pad_to_vectors<blend_words / 2>(format.bytes(), out, layers, count, select_nearest_of_two_words);
  else if (format.colour == colour_format::rgba32f)
    take_nearest_of<5>(out, layers, count);
  else
    take_nearest_of<3>(out, layers, count);
}

void blend(pixel_format format, std::byte* out, std::span<const layer> layers, std::int64_t count) {
  if (layers.empty()) throw usage_error("no layers to blend; pass at least one layer");
  for (const layer& l : layers)
    if (l.format.depth != format.depth || (format.depth && l.format != format) ||
        family_of(l.format.colour) != family_of(format.colour))
      throw usage_error(fmt::format(
          "cannot blend a layer of {} into {}: formats must be equal in depth and in the kind of channels (fixed "
          "point, floating point or wide)",
          name_of(l.format), name_of(format)));
  if (format == pixel_format{colour_format::wide, true}) throw usage_error("wide pixels with depth are not supported");
  if (layers.size() == 1 && layers[0].format == format) {
    if (out != layers[0].pixels) std::memcpy(out, layers[0].pixels, static_cast<std::size_t>(count) * format.bytes());
  } else if (format.depth) {
    select_nearest(format, out, layers, count);
  } else if (format.colour == colour_format::wide) {
    std::vector<const std::byte*> pixels;
    for (const layer& l : layers) pixels.push_back(l.pixels);
    blend_wide(out, pixels, count);
  } else if (family_of(format.colour) == family::fixed_point) {
    blend_fixed_point(format.colour, out, layers, count);
  } else {
    blend_floating_point(format.colour, out, layers, count);
  }
}

pixel_value value_of(pixel_format format, const std::byte* pixel) {
  pixel_value result;
  if (format.colour == colour_format::wide) {
    wide_pixel wide;
    std::memcpy(&wide, pixel, sizeof wide);
    const auto value = rounded(wide);
    std::copy(value.begin(), value.end(), result.channel);
    return result;
  }
  for (int c = 0; c < 4; ++c) {
    const std::byte* const at = pixel + static_cast<std::size_t>(c) * bytes_of(format.colour) / 4;
    std::uint16_t bits = 0;
    switch (format.colour) {
      case colour_format::rgba8:
        result.channel[c] = static_cast<float>(*at);
        break;
      case colour_format::rgba16:
        std::memcpy(&bits, at, sizeof bits);
        result.channel[c] = bits;
        break;
      case colour_format::rgba16f:
        std::memcpy(&bits, at, sizeof bits);
        result.channel[c] = from_half<float1>(word1{bits})[0];
        break;
      case colour_format::rgba32f:
      case colour_format::sum:
        std::memcpy(&result.channel[c], at, sizeof(float));
        break;
      case colour_format::wide:
        break;
    }
  }
  if (format.depth) std::memcpy(&result.depth, pixel + bytes_of(format.colour), sizeof(float));
  return result;
}

std::int64_t first_bad_pixel(pixel_format format, const std::byte* pixels, std::int64_t count) {
  const std::size_t bytes = format.bytes();
  const float whole = format.colour == colour_format::rgba8 || format.colour == colour_format::sum ? 255
                      : format.colour == colour_format::rgba16                                     ? 65535
                                                                                                   : 1;
  const auto bad = [&](std::int64_t i) {
    const pixel_value v = value_of(format, pixels + static_cast<std::size_t>(i) * bytes);
    const float a = v.channel[3];
    bool good = a >= 0 && a <= whole && !std::isnan(v.depth);
    for (int c = 0; c < 3; ++c) good = good && v.channel[c] >= 0 && v.channel[c] <= a;
    return !good;
  };
  constexpr std::int64_t block = 1024;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t end = std::min(count, begin + block);
    if (format == pixel_format{} && all_premultiplied(pixels + 4 * begin, end - begin)) continue;
    for (std::int64_t i = begin; i < end; ++i)
      if (bad(i)) return i;
  }
  return -1;
}

std::string_view name_of(pixel_format format) {
  constexpr std::string_view names[6][2] = {{"rgba8", "rgba8+z"},     {"rgba16", "rgba16+z"}, {"rgba16f", "rgba16f+z"},
                                            {"rgba32f", "rgba32f+z"}, {"sum", "sum"},         {"wide", "wide+z"}};
  return names[static_cast<int>(format.colour)][format.depth];
}

void clear(pixel_format format, std::byte* pixels, std::int64_t count) {
  const std::size_t bytes = format.bytes(), all = static_cast<std::size_t>(count);
  std::memset(pixels, 0, all * bytes);
  constexpr double through = wide_pixel{}.high[3];
  if (format.colour == colour_format::wide)
    for (std::size_t i = 0; i < all; ++i)
      std::memcpy(pixels + i * bytes + offsetof(wide_pixel, high[3]), &through, sizeof through);
  constexpr float far = std::numeric_limits<float>::infinity();
  if (format.depth)
    for (std::size_t i = 0; i < all; ++i) std::memcpy(pixels + i * bytes + bytes_of(format.colour), &far, sizeof far);
}

// A pixel with -0 counts as non-empty; this causes no error, because non-empty pixels are blended.
bool is_empty(pixel_format format, const std::byte* pixel) {
  if (format.colour == colour_format::wide) {
    constexpr wide_pixel nothing;
    return std::memcmp(pixel, &nothing, sizeof nothing) == 0;
  }
  std::uint32_t any = 0;
  for (std::size_t b = 0; b < format.bytes(); b += 4) {
    std::uint32_t word;
    std::memcpy(&word, pixel + b, 4);
    any |= word;
  }
  return any == 0;
}

}  // namespace osteon::kernel
