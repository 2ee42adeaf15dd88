#pragma once
/// @file
/// Vectors in half precision beside vectors in single precision.
#include <cstdint>
#include <osteon/kernel/blend/half.hpp>
#include <osteon/kernel/lanes.hpp>

namespace osteon::kernel {

namespace detail {

typedef std::uint32_t half_words __attribute__((vector_size(32)));
typedef std::uint16_t half_bits __attribute__((vector_size(16)));
using half_values = lanes<float>::vector;
constexpr std::int64_t half_lanes = lanes<float>::count;

[[gnu::always_inline]] inline half_values load_half(const std::uint16_t* from) {
  half_bits bits;
  load(bits, from);
  return from_half<half_values>(__builtin_convertvector(bits, half_words));
}
[[gnu::always_inline]] inline void store_half(std::uint16_t* to, half_values value) {
  store(to, __builtin_convertvector(to_half<half_values, half_words>(value), half_bits));
}
// The last values of a vector, in a register with zeros behind them.
inline half_values load_few(const float* from, std::int64_t count) {
  half_values v{};
  for (std::int64_t l = 0; l < count; ++l) v[l] = from[l];
  return v;
}
inline half_values load_few(const std::uint16_t* from, std::int64_t count) {
  std::uint16_t padded[half_lanes]{};
  for (std::int64_t l = 0; l < count; ++l) padded[l] = from[l];
  return load_half(padded);
}

}  // namespace detail

/// x . h. Each lane adds up its products in single precision: for pieces of some thousand values.
inline double dot_half(const float* x, const std::uint16_t* h, std::int64_t count) {
  using namespace detail;
  half_values sum{};
  std::int64_t i = 0;
  for (; i + half_lanes <= count; i += half_lanes) sum += get<half_values>(x + i) * load_half(h + i);
  sum += load_few(x + i, count - i) * load_few(h + i, count - i);
  double total = 0;
  for (std::int64_t l = 0; l < half_lanes; ++l) total += static_cast<double>(sum[l]);
  return total;
}

/// x += factor h.
inline void add_half(float* x, float factor, const std::uint16_t* h, std::int64_t count) {
  using namespace detail;
  std::int64_t i = 0;
  for (; i + half_lanes <= count; i += half_lanes) put(x + i, get<half_values>(x + i) + factor * load_half(h + i));
  const half_values rest = factor * load_few(h + i, count - i);
  for (std::int64_t l = 0; i + l < count; ++l) x[i + l] += rest[l];
}

/// h = factor x, rounded.
inline void narrow(std::uint16_t* h, float factor, const float* x, std::int64_t count) {
  using namespace detail;
  std::int64_t i = 0;
  for (; i + half_lanes <= count; i += half_lanes) store_half(h + i, factor * get<half_values>(x + i));
  std::uint16_t padded[half_lanes];
  store_half(padded, factor * load_few(x + i, count - i));
  for (std::int64_t l = 0; i + l < count; ++l) h[i + l] = padded[l];
}

}  // namespace osteon::kernel
