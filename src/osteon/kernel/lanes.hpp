#pragma once
/// @file
/// Short vectors for kernels, by the compiler's vector extension: portable, and one register where the machine has one.
#include <cstdint>
#include <cstring>

namespace osteon::kernel {

/// A vector of 32 bytes of T (8 floats, 4 doubles) and the integers of the same width for masks.
template <class T>
struct lanes;
template <>
struct lanes<float> {
  static constexpr int count = 8;
  using integer = std::int32_t;
  typedef float vector __attribute__((vector_size(32)));
  typedef integer mask __attribute__((vector_size(32)));
};
template <>
struct lanes<double> {
  static constexpr int count = 4;
  using integer = std::int64_t;
  typedef double vector __attribute__((vector_size(32)));
  typedef integer mask __attribute__((vector_size(32)));
};

/// Four floats: a node's three components and a zero.
typedef float float4 __attribute__((vector_size(16)));

template <class V, class T>
[[gnu::always_inline]] inline void load(V& to, const T* from) {
  std::memcpy(&to, from, sizeof(V));
}
template <class V, class T>
[[gnu::always_inline]] inline void store(T* to, const V& from) {
  std::memcpy(to, &from, sizeof(V));
}

}  // namespace osteon::kernel
