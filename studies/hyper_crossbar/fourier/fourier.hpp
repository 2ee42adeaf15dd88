#pragma once
/// @file
/// One-dimensional discrete Fourier transforms of many lines, in the layouts required by transforms in more dimensions.
#include <complex>
#include <cstddef>
#include <osteon/kernel/fourier/fourier_plan.hpp>
#include <span>

namespace osteon::studies {

using kernel::fourier_plan;

/// The sign of the exponent: forward exp(-2 pi i j k / n), backward exp(+2 pi i j k / n). Neither is scaled.
enum class fourier_direction { forward, backward };

/// Layout of lines: element j of line l is at `base[offset[j] + l * line_stride]`.
/// `offset` has an entry for each element, so that lines can come from, or go to, the blocks of an exchange.
template <class Complex>
struct fourier_lines {
  Complex* base = nullptr;
  std::span<const std::ptrdiff_t> offset;
  std::ptrdiff_t line_stride = 1;
  bool stream = false;  ///< of a target: write past the caches, for data larger than the caches that are read much later
};

/// Factors by which elements are multiplied before they are transformed: `element[j] * line[l]`; none if empty.
struct fourier_weights {
  std::span<const double> element, line;
};

/// Offsets 0, stride, 2 stride ... of `length` elements.
std::vector<std::ptrdiff_t> regular_offsets(std::int64_t length, std::ptrdiff_t stride);

/// Transform `lines` lines. `from` and `to` may be the same.
///
/// Four lines are processed at once: fastest are line strides of 1 (the columns of rows in memory) and element strides of 1
/// (the rows themselves).
/// @param offset both have plan.length() entries
/// @collective local, on the calling thread
void transform_lines(const fourier_plan& plan, fourier_direction direction, fourier_lines<const std::complex<double>> from,
                     fourier_lines<std::complex<double>> to, std::ptrdiff_t lines, fourier_weights weights = {});

}  // namespace osteon::studies
