#pragma once
/// @file
/// Stores that go past the caches: an array that is written whole and is larger than they are is then not read first.
#include <osteon/kernel/lanes.hpp>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace osteon::studies {

/// Whether this processor's `stream` goes past the caches; elsewhere it is an ordinary store.
#if defined(__AVX__)
inline constexpr bool stores_can_stream = true;
#else
inline constexpr bool stores_can_stream = false;
#endif

/// Store a vector past the caches. @param to aligned to the vector's 32 bytes
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

/// Make what this thread has streamed visible before anything that it stores later.
inline void end_of_streams() {
#if defined(__AVX__)
  _mm_sfence();
#endif
}

}  // namespace osteon::studies
