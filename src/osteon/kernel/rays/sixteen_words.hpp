#pragma once
/// @file
/// Sixteen numbers at once, by the compiler's vector extension, and words that are fetched from sixteen places.
#include <cstdint>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace osteon::kernel {

inline constexpr int sixteen = 16;
typedef float float16 __attribute__((vector_size(64)));
typedef std::int32_t integer16 __attribute__((vector_size(64)));

[[gnu::always_inline]] inline float16 all16(float a) { return float16{} + a; }

/// The words at `from` + at[i].
[[gnu::always_inline]] inline integer16 words_at(const std::uint32_t* from, const integer16& at) {
#if defined(__AVX512F__)
  return (integer16)_mm512_i32gather_epi32((__m512i)at, from, 4);
#elif defined(__AVX2__)
  typedef std::int32_t integer8 __attribute__((vector_size(32)));
  const auto half = [&](const integer8& places) {
    return (integer8)_mm256_i32gather_epi32(reinterpret_cast<const int*>(from), (__m256i)places, 4);
  };
  const auto low = half(__builtin_shufflevector(at, at, 0, 1, 2, 3, 4, 5, 6, 7)),
             high = half(__builtin_shufflevector(at, at, 8, 9, 10, 11, 12, 13, 14, 15));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  integer16 result;
  for (int i = 0; i < sixteen; ++i) result[i] = static_cast<std::int32_t>(from[at[i]]);
  return result;
#endif
}

}  // namespace osteon::kernel
