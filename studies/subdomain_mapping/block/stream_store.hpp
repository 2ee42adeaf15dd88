#pragma once
/// @file
/// Stores that bypass the caches. If an array is written completely and exceeds the caches, such stores avoid reading the
/// array first.
#include <osteon/kernel/lanes.hpp>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace osteon::studies {

/// True if `stream` bypasses the caches on this processor. On other processors, `stream` is an ordinary store.
#if defined(__AVX__)
inline constexpr bool stores_can_stream = true;
#else
inline constexpr bool stores_can_stream = false;
#endif

/// Store a vector to memory, bypassing the caches. @param to destination, aligned to 32 bytes
template <class T>
[[gnu::always_inline]] inline void stream(T* to, typename kernel::lanes<T>::vector value) {
#if defined(__AVX__)
  if constexpr (sizeof(T) == 8)
    _mm256_stream_pd(to, reinterpret_cast<__m256d>(value));
  else
    _mm256_stream_ps(to, reinterpret_cast<__m256>(value));
#else
  kernel::store(to, value);
#endif
}

/// Make streamed stores of this thread visible before its later stores.
inline void end_of_streams() {
#if defined(__AVX__)
  _mm_sfence();
#endif
}

}  // namespace osteon::studies
