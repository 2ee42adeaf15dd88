#pragma once
/// @file
/// Short vectors for kernels. They use the vector extension of compilers and are portable. On machines with registers of
/// this width, a vector is in one register.
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace osteon::kernel {

/// A vector of 32 bytes of T (8 floats or 4 doubles), and integers of equal width for masks.
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

/// Four floats: three components of a node and a zero.
typedef float float4 __attribute__((vector_size(16)));

template <class V, class T>
[[gnu::always_inline]] inline void load(V& to, const T* from) {
  std::memcpy(&to, from, sizeof(V));
}
template <class V, class T>
[[gnu::always_inline]] inline void store(T* to, const V& from) {
  std::memcpy(to, &from, sizeof(V));
}

/// Load a value, or a vector with the lanes of V, at `from`. With `get` and `put`, one function template can process scalars
/// and vectors.
template <class V, class T>
[[gnu::always_inline]] inline V get(const T* from) {
  if constexpr (std::is_arithmetic_v<V>) {
    return static_cast<V>(*from);
  } else {
    typedef T part __attribute__((vector_size(sizeof(T) * (sizeof(V) / sizeof(V{}[0])))));
    part values;
    std::memcpy(&values, from, sizeof values);
    return __builtin_convertvector(values, V);
  }
}
/// Store a value or a vector: the inverse of `get`.
template <class V, class T>
[[gnu::always_inline]] inline void put(T* to, V value) {
  if constexpr (std::is_arithmetic_v<V>) {
    *to = static_cast<T>(value);
  } else {
    typedef T part __attribute__((vector_size(sizeof(T) * (sizeof(V) / sizeof(V{}[0])))));
    const part values = __builtin_convertvector(value, part);
    std::memcpy(to, &values, sizeof values);
  }
}

}  // namespace osteon::kernel
