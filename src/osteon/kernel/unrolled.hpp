#pragma once
/// @file
/// Loops with constant counters, for arrays in registers.
#include <utility>

namespace osteon::kernel {

/// Call f(0), ..., f(n - 1) with compile-time constants.
template <int n, class F>
[[gnu::always_inline]] inline void unrolled(F f) {
  [&]<int... i>(std::integer_sequence<int, i...>)
      __attribute__((always_inline)) { (f(std::integral_constant<int, i>{}), ...); }(std::make_integer_sequence<int, n>{});
}

}  // namespace osteon::kernel
