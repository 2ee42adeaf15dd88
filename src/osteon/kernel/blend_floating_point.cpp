#include <osteon/kernel/blend_parts.hpp>
#include <osteon/kernel/half.hpp>
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace osteon::kernel {

namespace {

constexpr int pixels_of_vector = blend_words / 4;
constexpr std::int64_t block = 512;  // pixels whose sums stay in the first cache between two batches of layers

#if defined(__AVX512BW__)
typedef std::uint16_t halves __attribute__((vector_size(32)));
constexpr integers opacity_of{3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15};
#else
typedef std::uint16_t halves __attribute__((vector_size(16)));
constexpr integers opacity_of{3, 3, 3, 3, 7, 7, 7, 7};
#endif

template <bool Only32>
[[gnu::always_inline]] inline floats load(const layer& from, std::int64_t at) {
  if (Only32 || from.format.colour == colour_format::rgba32f) {
    floats value;
    std::memcpy(&value, from.pixels + 16 * at, sizeof value);
    return value;
  }
  halves bits;
  std::memcpy(&bits, from.pixels + 8 * at, sizeof bits);
#if defined(__F16C__) && !defined(__AVX512BW__)
  return (floats)_mm256_cvtph_ps((__m128i)bits);
#else
  return from_half<floats>(__builtin_convertvector(bits, words));
#endif
}

[[gnu::always_inline]] inline void store(colour_format format, std::byte* out, std::int64_t at, floats value) {
  if (format == colour_format::rgba32f) {
    std::memcpy(out + 16 * at, &value, sizeof value);
    return;
  }
#if defined(__F16C__) && !defined(__AVX512BW__)
  const auto bits = (halves)_mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  const halves bits = __builtin_convertvector(to_half<floats, words>(value), halves);
#endif
  std::memcpy(out + 8 * at, &bits, sizeof bits);
}

template <bool Only32>
void pass(colour_format format, std::byte* out, std::span<const layer> layers, std::int64_t count, floats* behind,
          bool first) {
  const std::size_t front = first ? layers.size() - 1 : layers.size();
  for (std::int64_t at = 0; at < count; at += pixels_of_vector) {
    floats& there = behind[at / pixels_of_vector];
    floats sum = first ? load<Only32>(layers.back(), at) : there;
    for (std::size_t l = front; l-- > 0;) {
      const floats value = load<Only32>(layers[l], at);
      sum = value + (1 - __builtin_shuffle(value, opacity_of)) * sum;
    }
    if (out)
      store(format, out, at, sum);
    else
      there = sum;
  }
}

template <bool Only32>
void blend_vectors(colour_format format, std::byte* out, std::span<const layer> layers, std::int64_t count) {
  floats behind[block / pixels_of_vector];
  for (std::int64_t at = 0; at < count; at += block) {
    const std::int64_t size = std::min(block, count - at);
    in_batches(out + static_cast<std::size_t>(at) * bytes_of(format), advanced(layers, at),
               [&](std::byte* to, std::span<const layer> batch, bool first) {
                 pass<Only32>(format, to, batch, size, behind, first);
               });
  }
}

}  // namespace

void blend_floating_point(colour_format format, std::byte* out, std::span<const layer> layers, std::int64_t count) {
  bool only32 = true;
  for (const layer& l : layers) only32 = only32 && l.format.colour == colour_format::rgba32f;
  pad_to_vectors<pixels_of_vector>(bytes_of(format), out, layers, count,
                                   [&](std::byte* to, std::span<const layer> from, std::int64_t size) {
                                     (only32 ? blend_vectors<true> : blend_vectors<false>)(format, to, from, size);
                                   });
}

}  // namespace osteon::kernel
