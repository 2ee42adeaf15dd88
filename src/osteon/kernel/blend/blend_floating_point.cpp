#include <osteon/kernel/blend/blend_parts.hpp>
#include <osteon/kernel/blend/half.hpp>
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace osteon::kernel {

namespace {

constexpr int pixels_of_vector = blend_words / 4;

typedef std::uint16_t halves __attribute__((vector_size(2 * blend_words)));

struct floating_point {
  using sum = floats;
  static constexpr int pixels = pixels_of_vector;

  template <bool Only32>
  [[gnu::always_inline]] static inline floats load(const layer& from, std::int64_t at) {
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

  [[gnu::always_inline]] static inline floats over(floats front, floats back) {
    return front + (1 - shuffled(front, front, [](int i) { return i | 3; })) * back;
  }

  [[gnu::always_inline]] static inline void store(colour_format format, std::byte* out, std::int64_t at, floats value) {
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
};

}  // namespace

void blend_floating_point(colour_format format, std::byte* out, std::span<const layer> layers, std::int64_t count) {
  bool only32 = true;
  for (const layer& l : layers) only32 = only32 && l.format.colour == colour_format::rgba32f;
  pad_to_vectors<pixels_of_vector>(
      bytes_of(format), out, layers, count, [&](std::byte* to, std::span<const layer> from, std::int64_t size) {
        (only32 ? blend_vectors<floating_point, true> : blend_vectors<floating_point, false>)(format, to, from, size);
      });
}

}  // namespace osteon::kernel
