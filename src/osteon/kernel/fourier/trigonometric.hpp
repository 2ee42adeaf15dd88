#pragma once
/// @file
/// Cosine, sine and Fourier transforms of lines of real numbers of any length. The transforms yield coefficients of the
/// eigenvectors of second differences.
#include <cstdint>
#include <optional>
#include <osteon/kernel/fourier/fourier_plan.hpp>
#include <osteon/kernel/fourier/fourier_radix.hpp>
#include <vector>

namespace osteon::kernel {

/// Boundary condition at an end of a line of points, half a step beyond the last point.
enum class line_end {
  mirror,     ///< adjacent point of equal value: no gradient
  zero,       ///< adjacent point of opposite value: zero at the end
  other_end,  ///< periodic; at both ends
};
struct line_ends {
  line_end low = line_end::mirror, high = line_end::mirror;
  friend bool operator==(const line_ends&, const line_ends&) = default;
};

/// The transform F of lines of n points to coefficients of the eigenvectors of the second difference 2 x_j - x_(j-1) -
/// x_(j+1) with given end conditions. F^T diag(norm) F is the identity, and F^T diag(norm * eigenvalue) F is the second
/// difference.
///
/// If both ends are `mirror`, the rows of F are cos(pi k (2 j + 1) / 2 n) (DCT-II). For `mirror` and `zero`, the rows are
/// cos(pi (2 k + 1) (2 j + 1) / 4 n) (DCT-IV). If the low end is `zero`, the rows are multiplied by (-1)^j and yield sines
/// in reverse order. Periodic lines use cos + sin of 2 pi j k / n. Two lines require one complex transform of n points; even
/// points come first, and odd points follow in reverse order [Makhoul1980]. Lengths n other than 2^a 3^b 5^c use a
/// convolution [Bluestein1970]. The length of the convolution is the smallest number 2^a 3^b 5^c that is at least 2 n - 1.
/// The convolution is about five times slower than a transform of a supported length.
class trigonometric_transform {
 public:
  /// @param length in [1, 2^28] @throws usage_error if only one end is periodic, or the length is out of range
  trigonometric_transform(std::int64_t length, line_ends ends);

  int length() const { return length_; }
  /// Eigenvalues by mode, in [0, 4].
  const std::vector<double>& eigenvalues() const { return eigenvalues_; }
  /// Norms by mode: 1 / (squared norm of the row of F).
  const std::vector<double>& norms() const { return norms_; }

  /// Multiply eight lines by F, or by F^T.
  /// @param lines shape (n): point j of four lines in the real parts, of four other lines in the imaginary parts
  /// @param scratch shape (scratch_points()) @collective local, on the calling thread
  void forward(complex_lanes* lines, complex_lanes* scratch) const;
  void backward(complex_lanes* lines, complex_lanes* scratch) const;
  std::int64_t scratch_points() const;

  /// Approximate number of operations to transform a line.
  double operations() const;

 private:
  template <class Load>
  complex_lanes* transform(Load load, complex_lanes* scratch) const;

  int length_;
  bool repeats_ = false, is_quarter_ = false;
  double sign_ = 1;              // sign of points with odd index
  std::vector<double> weights_;  // (cosine, sine) by mode, halved
  std::vector<double> turns_;    // (cosine, sine) by point, of `is_quarter_`
  std::vector<double> eigenvalues_, norms_;
  std::optional<fourier_plan> plan_;
  // Data of a convolution: the chirp exp(-i pi j^2 / n), and the transform of its conjugate with the length of the plan.
  std::vector<double> chirp_, filter_;
};

}  // namespace osteon::kernel
