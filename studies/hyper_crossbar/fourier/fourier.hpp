#pragma once
/// @file
/// One-dimensional discrete Fourier transforms of many lines. The layouts are those that transforms in more dimensions need.
#include <complex>
#include <cstddef>
#include <osteon/kernel/fourier/fourier_plan.hpp>
#include <span>

namespace osteon::studies {

using kernel::fourier_plan;

/// The sign of the exponent. Forward is exp(-2 pi i j k / n), and backward is exp(+2 pi i j k / n). Both transforms are
/// unscaled.
enum class fourier_direction { forward, backward };

/// Layout of lines. Element j of line l is at `base[offset[j] + l * line_stride]`. `offset` has an entry for each element.
/// Lines can therefore be read from the blocks of an exchange, or written to these blocks.
template <class Complex>
struct fourier_lines {
  Complex* base = nullptr;
  std::span<const std::ptrdiff_t> offset;
  std::ptrdiff_t line_stride = 1;
  /// for a target: stores bypass the caches; use this option for data that exceed the caches and are read much later
  bool stream = false;
};

/// Factors of the elements before the transform: `element[j] * line[l]`. Empty lists mean no factors.
struct fourier_weights {
  std::span<const double> element, line;
};

/// Offsets 0, stride, 2 stride ... of `length` elements.
std::vector<std::ptrdiff_t> regular_offsets(std::int64_t length, std::ptrdiff_t stride);

/// Transform `lines` lines. `from` and `to` may be equal.
///
/// Four lines are processed at once. The fastest layouts have a line stride of 1 (columns of an array of rows) or an element
/// stride of 1 (rows).
/// @param from,to layouts with plan.length() offsets
/// @collective local, on the calling thread
void transform_lines(const fourier_plan& plan, fourier_direction direction, fourier_lines<const std::complex<double>> from,
                     fourier_lines<std::complex<double>> to, std::ptrdiff_t lines, fourier_weights weights = {});

}  // namespace osteon::studies
