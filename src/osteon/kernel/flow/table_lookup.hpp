#pragma once
/// @file
/// Vectorised table look-up, which vector extensions of compilers do not provide. AVX-512 has a look-up instruction for
/// tables of 32 floats. The look-up instruction of AVX2 is limited to tables of 16 bytes.
#include <array>
#include <cstdint>
#include <osteon/kernel/lanes.hpp>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace osteon::kernel {

/// table[number[0]], ..., for all lanes of V.
/// @param table shape (64) @param number below 64
template <class V, class T>
[[gnu::always_inline]] inline V looked_up(const T* table, const std::uint8_t* number) {
  if constexpr (std::is_arithmetic_v<V>) {
    return table[*number];
  } else {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    if constexpr (std::is_same_v<T, float>) {
      std::int64_t bytes;
      std::memcpy(&bytes, number, sizeof bytes);
      const __m256i index = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes));
      const __m512i wide = _mm512_castsi256_si512(index);
      const __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(table), wide, _mm512_loadu_ps(table + 16));
      const __m512 high = _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32), wide, _mm512_loadu_ps(table + 48));
      const __mmask8 is_high = _mm256_test_epi32_mask(index, _mm256_set1_epi32(32));
      return (V)_mm256_mask_blend_ps(is_high, _mm512_castps512_ps256(low), _mm512_castps512_ps256(high));
    }
#endif
    V values{};
    for (int l = 0; l < lanes<T>::count; ++l) values[l] = table[number[l]];
    return values;
  }
}

/// A table of 64 small integers. Vector look-up of integers is faster than vector look-up of floats.
struct byte_table {
  alignas(16) std::array<std::uint8_t, 64> value{};
};

/// table[number[0]], ..., as floats.
/// @tparam Sixteens number of parts of 16 entries that contain all numbers
template <int Sixteens>
[[gnu::always_inline]] inline lanes<float>::vector looked_up_bytes(const byte_table& table, const std::uint8_t* number) {
#if defined(__AVX2__)
  std::int64_t bytes;
  std::memcpy(&bytes, number, sizeof bytes);
  // An index with the highest bit set yields 0. An offset maps the begin of the part to 0x70; all indices outside of the
  // part then have the highest bit set.
  const __m128i index = _mm_cvtsi64_si128(bytes);
  __m128i found = {};
#pragma GCC unroll 4
  for (int n = 0; n < Sixteens; ++n) {
    const __m128i part = _mm_load_si128(reinterpret_cast<const __m128i*>(table.value.data()) + n);
    const __m128i from_begin = _mm_sub_epi8(index, _mm_set1_epi8(static_cast<char>(16 * n)));
    found = _mm_or_si128(found, _mm_shuffle_epi8(part, _mm_adds_epu8(from_begin, _mm_set1_epi8(0x70))));
  }
  return (lanes<float>::vector)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(found));
#else
  lanes<float>::vector values{};
  for (int l = 0; l < lanes<float>::count; ++l) values[l] = static_cast<float>(table.value[number[l]]);
  return values;
#endif
}

}  // namespace osteon::kernel
