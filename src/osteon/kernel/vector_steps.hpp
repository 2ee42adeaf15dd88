#pragma once
/// @file
/// Vector kernels of the multigrid cycle and of conjugate gradients: functors for `for_each` on host and device. The
/// functors borrow memory of the executing host or device.
#include <osteon/base/for_each.hpp>

namespace osteon::kernel {

/// First step of the Chebyshev iteration of the fourth kind on D^-1 K: d = take D^-1 r, x += d (x = d if x is zero), where
/// take = 4 / (3 largest eigenvalue).
/// @cite [Lottes2023]
template <class T>
struct chebyshev_first {
  const T *inverse_diagonal, *residual;
  T *step, *solution;
  T take;
  bool from_zero;

  OSTEON_HD void operator()(std::int64_t i) const {
    step[i] = take * inverse_diagonal[i] * residual[i];
    solution[i] = from_zero ? step[i] : solution[i] + step[i];
  }
};

/// Step k > 0: r -= K d, d = keep d + take D^-1 r, x += d, with keep = (2 k - 1) / (2 k + 3) and
/// take = (8 k + 4) / ((2 k + 3) largest eigenvalue).
template <class T>
struct chebyshev_next {
  const T *inverse_diagonal, *product;  ///< product: K d
  T *residual, *step, *solution;
  T keep, take;

  OSTEON_HD void operator()(std::int64_t i) const {
    residual[i] -= product[i];
    step[i] = keep * step[i] + take * inverse_diagonal[i] * residual[i];
    solution[i] += step[i];
  }
};

/// y += a x.
template <class T>
struct add_scaled {
  T a;
  const T* x;
  T* y;
  OSTEON_HD void operator()(std::int64_t i) const { y[i] += a * x[i]; }
};

/// p = a z + b p: the next direction from a preconditioned residual of lower precision.
template <class T, class Z>
struct next_direction {
  T a, b;
  const Z* z;
  T* p;
  OSTEON_HD void operator()(std::int64_t i) const { p[i] = a * static_cast<T>(z[i]) + b * p[i]; }
};

/// Partial sums of a dot product. Each index sums every 32nd term of a block of 8192 terms; neighbouring threads of a device
/// therefore read neighbouring values. The partial sums are summed sequentially; the result is independent of the number of
/// threads.
template <class A, class B>
struct dot_parts {
  static constexpr std::int64_t block = 8192, lanes = 32;
  const A* a;
  const B* b;
  std::int64_t count;
  double* part;

  /// Number of partial sums: the range of the index.
  static constexpr std::int64_t parts_of(std::int64_t count) { return (count + block - 1) / block * lanes; }

  OSTEON_HD void operator()(std::int64_t i) const {
    const std::int64_t begin = i / lanes * block, end = begin + block < count ? begin + block : count;
    double sum = 0;
    for (std::int64_t k = begin + i % lanes; k < end; k += lanes)
      sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    part[i] = sum;
  }
};

}  // namespace osteon::kernel
