#include <osteon/kernel/blend/blend_parts.hpp>
#include <type_traits>

namespace osteon::kernel {

namespace {

// The channels of several pixels, one vector per channel, in units of 1 / 255 for all formats.
struct planes {
  floats red, green, blue, opacity;
};

[[gnu::always_inline]] inline floats to_float(words value) {
  return __builtin_convertvector((integers)value, floats);  // a conversion instruction exists for signed integers only
}
[[gnu::always_inline]] inline words rounded(floats value) { return (words) __builtin_convertvector(value + 0.5f, integers); }

[[gnu::always_inline]] inline planes load8(const std::byte* pixels) {
  words w;
  std::memcpy(&w, pixels, sizeof w);
  return {to_float(w & 255), to_float((w >> 8) & 255), to_float((w >> 16) & 255), to_float(w >> 24)};
}
[[gnu::always_inline]] inline void store8(std::byte* pixels, const planes& p) {
  const words w = rounded(p.red) | rounded(p.green) << 8 | rounded(p.blue) << 16 | rounded(p.opacity) << 24;
  std::memcpy(pixels, &w, sizeof w);
}

// A pixel with 16-bit channels has two words. The first contains red and green, the second blue and opacity.
[[gnu::always_inline]] inline planes load16(const std::byte* pixels) {
  words first, second;
  std::memcpy(&first, pixels, sizeof first);
  std::memcpy(&second, pixels + sizeof first, sizeof second);
  const words rg = shuffled(first, second, [](int i) { return 2 * i; }),
              ba = shuffled(first, second, [](int i) { return 2 * i + 1; });
  constexpr float scale = 1.0f / 257;
  return {to_float(rg & 0xffff) * scale, to_float(rg >> 16) * scale, to_float(ba & 0xffff) * scale,
          to_float(ba >> 16) * scale};
}
[[gnu::always_inline]] inline void store16(std::byte* pixels, const planes& p) {
  const words rg = rounded(p.red * 257) | rounded(p.green * 257) << 16;
  const words ba = rounded(p.blue * 257) | rounded(p.opacity * 257) << 16;
  const words first = shuffled(rg, ba, [](int i) { return i / 2 + i % 2 * blend_words; });
  const words second = shuffled(rg, ba, [](int i) { return i / 2 + i % 2 * blend_words + blend_words / 2; });
  std::memcpy(pixels, &first, sizeof first);
  std::memcpy(pixels + sizeof first, &second, sizeof second);
}

// A pixel of a sum has four words, one per channel.
[[gnu::always_inline]] inline planes load_sum(const std::byte* pixels) {
  float values[blend_words][4], channels[4][blend_words];
  std::memcpy(values, pixels, sizeof values);
  for (int i = 0; i < blend_words; ++i)
    for (int c = 0; c < 4; ++c) channels[c][i] = values[i][c];
  planes p;
  std::memcpy(&p, channels, sizeof p);
  return p;
}
[[gnu::always_inline]] inline void store_sum(std::byte* pixels, const planes& p) {
  float values[blend_words][4], channels[4][blend_words];
  std::memcpy(channels, &p, sizeof p);
  for (int i = 0; i < blend_words; ++i)
    for (int c = 0; c < 4; ++c) values[i][c] = channels[c][i];
  std::memcpy(pixels, values, sizeof values);
}

struct fixed_point {
  using sum = planes;
  static constexpr int pixels = blend_words;

  template <bool Only8>
  [[gnu::always_inline]] static inline planes load(const layer& from, std::int64_t at) {
    if (Only8 || from.format.colour == colour_format::rgba8) return load8(from.pixels + 4 * at);
    return from.format.colour == colour_format::rgba16 ? load16(from.pixels + 8 * at) : load_sum(from.pixels + 16 * at);
  }

  // One multiplication and one addition per value.
  [[gnu::always_inline]] static inline planes over(const planes& front, const planes& back) {
    const floats through = 1 - front.opacity * (1.0f / 255);
    return {front.red + through * back.red, front.green + through * back.green, front.blue + through * back.blue,
            front.opacity + through * back.opacity};
  }

  [[gnu::always_inline]] static inline void store(colour_format format, std::byte* out, std::int64_t at, const planes& p) {
    if (format == colour_format::rgba8)
      store8(out + 4 * at, p);
    else if (format == colour_format::rgba16)
      store16(out + 8 * at, p);
    else
      store_sum(out + 16 * at, p);
  }
};

// Blend two layers of RGBA8, two channels per word. With t = x k + 128, (t + t / 256) / 256 equals x k / 255 rounded to
// nearest, for all bytes x and k. A colour above the opacity would overflow into the next channel.
void blend_two(std::byte* out, const std::byte* front, const std::byte* back, std::int64_t count) {
  constexpr std::uint32_t low = 0xff00ff, half = 0x800080;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t f, b;
    std::memcpy(&f, front + 4 * i, 4);
    std::memcpy(&b, back + 4 * i, 4);
    const std::uint32_t through = 255 - (f >> 24);
    std::uint32_t even_channels = (b & low) * through + half, odd_channels = ((b >> 8) & low) * through + half;
    even_channels = ((even_channels + ((even_channels >> 8) & low)) >> 8) & low;
    odd_channels = (odd_channels + ((odd_channels >> 8) & low)) & ~low;
    const std::uint32_t result = f + (even_channels | odd_channels);
    std::memcpy(out + 4 * i, &result, 4);
  }
}

// Blend a compile-time number of RGBA8 layers. Channels remain at their positions in the word; sums therefore have the units
// 1, 256 and 65536 / 255. This method saves shifts and yields the same result.
template <std::size_t Layers>
void blend_bytes(std::byte* out, std::span<const layer> layers, std::int64_t count) {
  const std::byte* from[Layers];
  for (std::size_t l = 0; l < Layers; ++l) from[l] = layers[l].pixels;
  constexpr float half = 0.5f;
  for (std::int64_t at = 0; at < count; at += blend_words) {
    words w;
    std::memcpy(&w, from[Layers - 1] + 4 * at, sizeof w);
    planes sum{to_float(w & 0xff), to_float(w & 0xff00), to_float(w & 0xff0000), to_float(w >> 24)};
    for (std::size_t l = Layers - 1; l-- > 0;) {
      std::memcpy(&w, from[l] + 4 * at, sizeof w);
      const floats opacity = to_float(w >> 24), through = 1 - opacity * (1.0f / 255);
      sum.red = to_float(w & 0xff) + through * sum.red;
      sum.green = to_float(w & 0xff00) + through * sum.green;
      sum.blue = to_float(w & 0xff0000) + through * sum.blue;
      sum.opacity = opacity + through * sum.opacity;
    }
    const auto whole = [](floats value) { return (words) __builtin_convertvector(value, integers); };
    w = whole(sum.red + half) | (whole(sum.green + 256 * half) & 0xff00) | (whole(sum.blue + 65536 * half) & 0xff0000) |
        whole(sum.opacity + half) << 24;
    std::memcpy(out + 4 * at, &w, sizeof w);
  }
}

using blend_of_bytes = void (*)(std::byte*, std::span<const layer>, std::int64_t);
constexpr blend_of_bytes blend_of_some_bytes[] = {nullptr,        nullptr,        nullptr,
                                                  blend_bytes<3>, blend_bytes<4>, blend_bytes<5>,
                                                  blend_bytes<6>, blend_bytes<7>, blend_bytes<8>};

// Blend two layers of compile-time formats. This is the most frequent operation of plans with several rounds.
template <bool Front8, bool Back8, bool Out8>
void blend_pair(std::byte* out, std::span<const layer> layers, std::int64_t count) {
  const auto get = []<bool Is8>(const std::byte* pixels, std::int64_t at, std::bool_constant<Is8>) {
    return Is8 ? load8(pixels + 4 * at) : load16(pixels + 8 * at);
  };
  const std::byte *const front = layers[0].pixels, *const back = layers[1].pixels;
  for (std::int64_t at = 0; at < count; at += blend_words) {
    const planes f = get(front, at, std::bool_constant<Front8>{}), b = get(back, at, std::bool_constant<Back8>{});
    fixed_point::store(Out8 ? colour_format::rgba8 : colour_format::rgba16, out, at, fixed_point::over(f, b));
  }
}

// Index bits: front, back and result are RGBA8.
constexpr blend_of_bytes blend_pairs[] = {blend_pair<false, false, false>, blend_pair<false, false, true>,
                                          blend_pair<false, true, false>,  blend_pair<false, true, true>,
                                          blend_pair<true, false, false>,  blend_pair<true, false, true>,
                                          blend_pair<true, true, false>,   blend_pair<true, true, true>};

}  // namespace

void blend_fixed_point(colour_format format, std::byte* out, std::span<const layer> layers, std::int64_t count) {
  bool only8 = true, sums = format == colour_format::sum;
  for (const layer& l : layers) {
    only8 = only8 && l.format.colour == colour_format::rgba8;
    sums = sums || l.format.colour == colour_format::sum;
  }
  if (only8 && format == colour_format::rgba8 && layers.size() == 2)
    return blend_two(out, layers[0].pixels, layers[1].pixels, count);
  const auto is8 = [](colour_format f) { return f == colour_format::rgba8 ? 1u : 0u; };
  pad_to_vectors<blend_words>(
      bytes_of(format), out, layers, count, [&](std::byte* to, std::span<const layer> from, std::int64_t size) {
        if (from.size() == 2 && !sums)
          return blend_pairs[4 * is8(from[0].format.colour) + 2 * is8(from[1].format.colour) + is8(format)](to, from, size);
        if (only8 && is8(format) && from.size() > 2 && from.size() < std::size(blend_of_some_bytes))
          return blend_of_some_bytes[from.size()](to, from, size);
        (only8 ? blend_vectors<fixed_point, true> : blend_vectors<fixed_point, false>)(format, to, from, size);
      });
}

}  // namespace osteon::kernel
