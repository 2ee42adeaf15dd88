#pragma once
/// @file
/// Plans of discrete Fourier transforms of one length: radices and twiddle factors.
#include <cstdint>
#include <vector>

namespace osteon::kernel {

/// Passes of Stockham's self-sorting transform, in order of execution.
///
/// A pass has n = R m remaining points and s interleaved transforms. For p < m and q < s, the pass reads and transforms the
/// points q + s (p + m j), j < R. The pass multiplies coefficient k by exp(-2 pi i p k / n) and writes the product to q + s
/// (R p + k).
/// @cite [VanLoan1992], section 1.7
class fourier_plan {
 public:
  struct pass {
    int radix = 1;
    int m = 1, s = 1;
    std::vector<double> twiddles;  ///< [p][k = 1 .. R-1](cosine, sine); all 1 in the last pass
  };

  /// @throws usage_error for a length that is not 2^a 3^b 5^c, with the nearest supported lengths
  explicit fourier_plan(std::int64_t length);

  int length() const { return length_; }
  const std::vector<pass>& passes() const { return passes_; }

  /// Return true if the length is 2^a 3^b 5^c.
  static bool supports(std::int64_t length);

 private:
  int length_;
  std::vector<pass> passes_;
};

}  // namespace osteon::kernel
