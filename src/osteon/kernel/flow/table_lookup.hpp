#pragma once
/// @file
/// Values of a table of 64 floats by the numbers of some cells: one of the few things that the compiler's vectors have no
/// word for, and that AVX-512 has in one instruction for 32 entries.
#include <cstdint>
#include <osteon/kernel/lanes.hpp>

#if defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace osteon::kernel {

/// table[number[0]], or as many of them as V has lanes.
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

}  // namespace osteon::kernel
