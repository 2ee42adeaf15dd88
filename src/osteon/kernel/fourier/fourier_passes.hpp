#pragma once
/// @file
/// A pass of a Fourier transform of four lines. The caller defines the access to input and output.
#include <osteon/kernel/fourier/fourier_plan.hpp>
#include <osteon/kernel/fourier/fourier_radix.hpp>
#include <type_traits>

namespace osteon::kernel {

template <int R, bool twiddled, class Load, class Store>
[[gnu::always_inline]] inline void fourier_pass(int m, int s, const double* twiddles, Load load, Store store) {
  for (int p = 0; p < m; ++p, twiddles += 2 * (R - 1))
    for (int q = 0; q < s; ++q) {
      complex_lanes a[R];
      for (int j = 0; j < R; ++j) a[j] = load(q + s * (p + m * j));
      transform_in_registers<R>(a);
      store(q + s * R * p, a[0]);
      for (int k = 1; k < R; ++k) {
        if constexpr (twiddled) a[k] = times(a[k], twiddles[2 * k - 2], twiddles[2 * k - 1]);
        store(q + s * (R * p + k), a[k]);
      }
    }
}

/// Position of a pass, known at compile time. In the first pass, s = 1; in the last pass, m = 1. The compiler then removes a
/// loop and its multiplications.
enum class place_of_pass { first, middle, last };

/// Perform a pass: `load(j)` returns the elements j of the four lines, `store(k, v)` stores the results k.
template <place_of_pass place, class Load, class Store>
void fourier_pass(const fourier_plan::pass& pass, Load load, Store store) {
  constexpr bool first = place == place_of_pass::first, last = place == place_of_pass::last;
  const auto run = [&]<int R>(std::integral_constant<int, R>) {
    fourier_pass<R, !last>(last ? 1 : pass.m, first ? 1 : pass.s, pass.twiddles.data(), load, store);
  };
  switch (pass.radix) {
    case 2:
      return run(std::integral_constant<int, 2>{});
    case 3:
      return run(std::integral_constant<int, 3>{});
    case 4:
      return run(std::integral_constant<int, 4>{});
    case 5:
      return run(std::integral_constant<int, 5>{});
    default:
      return run(std::integral_constant<int, 8>{});
  }
}

}  // namespace osteon::kernel
