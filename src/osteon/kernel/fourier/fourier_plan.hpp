#pragma once
/// @file
/// How discrete Fourier transforms of one length are computed: radices and twiddle factors.
#include <cstdint>
#include <vector>

namespace osteon::kernel {

/// The passes of Stockham's self-sorting transform, the first one first.
///
/// With n = R m points left and s transforms of them interleaved, a pass takes for p < m and q < s the points
/// q + s (p + m j), j < R, transforms them, and writes number k, times exp(-2 pi i p k / n), to q + s (R p + k).
/// @cite [VanLoan1992], section 1.7
class fourier_plan {
 public:
  struct pass {
    int radix = 1;
    int m = 1, s = 1;
    std::vector<double> twiddles;  ///< [p][k = 1 .. R-1](cosine, sine); all 1 in the last pass
  };

  /// @throws usage_error for a length that is not 2^a 3^b 5^c, with the nearest ones that are
  explicit fourier_plan(std::int64_t length);

  int length() const { return length_; }
  const std::vector<pass>& passes() const { return passes_; }

  /// Is this 2^a 3^b 5^c?
  static bool supports(std::int64_t length);

 private:
  int length_;
  std::vector<pass> passes_;
};

}  // namespace osteon::kernel
