#pragma once
/// @file
/// The passes of a Fourier transform of four lines: where the first reads and where the last writes is the caller's.
#include <osteon/kernel/fourier_plan.hpp>
#include <osteon/kernel/fourier_radix.hpp>
#include <utility>

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

template <bool twiddled, class Load, class Store>
void fourier_pass(const fourier_plan::pass& pass, Load load, Store store) {
  // m and s are given as constants where they are 1, which takes a loop and its multiplications away.
  const auto run = [&]<int R>(std::integral_constant<int, R>) {
    if constexpr (!twiddled)
      fourier_pass<R, false>(1, pass.s, nullptr, load, store);
    else if (pass.s == 1)
      fourier_pass<R, true>(pass.m, 1, pass.twiddles.data(), load, store);
    else
      fourier_pass<R, true>(pass.m, pass.s, pass.twiddles.data(), load, store);
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

/// Transform four lines forward, not scaled: `load(j)` gives their elements j, `store(k, v)` takes the results k.
/// @param scratch 2 * plan.length() elements
template <class Load, class Store>
void transform_four_lines(const fourier_plan& plan, complex_lanes* scratch, Load load, Store store) {
  const auto& passes = plan.passes();
  if (passes.empty()) return store(0, load(0));
  if (passes.size() == 1) return fourier_pass<false>(passes.front(), load, store);
  complex_lanes *from = scratch, *to = scratch + plan.length();
  fourier_pass<true>(passes.front(), load, [from](int k, const complex_lanes& v) { from[k] = v; });
  for (std::size_t i = 1; i + 1 < passes.size(); ++i) {
    fourier_pass<true>(passes[i], [from](int j) { return from[j]; }, [to](int k, const complex_lanes& v) { to[k] = v; });
    std::swap(from, to);
  }
  fourier_pass<false>(passes.back(), [from](int j) { return from[j]; }, store);
}

}  // namespace osteon::kernel
