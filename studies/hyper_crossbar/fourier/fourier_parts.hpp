#pragma once
/// @file
/// Common parts of all distributions of a Fourier transform: strides, parts of an axis, and memory.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace osteon::studies {

using complex = std::complex<double>;

/// A stride of at least `count` elements. The stride is not a multiple of 1 KiB. With a multiple of 1 KiB, lines across the
/// stride would use only a few sets of the caches. The stride is a multiple of 64 bytes if `count` elements are a multiple
/// of 64 bytes.
constexpr std::ptrdiff_t spread(std::ptrdiff_t count) { return count % 64 == 0 ? count + 4 : count; }

/// An axis that is distributed over `parts` as evenly as possible. The parts are in the order of the axis.
struct axis_parts {
  std::int64_t length = 0;
  int parts = 1;

  std::int64_t begin(int part) const { return length * part / parts; }
  std::int64_t size(int part) const { return begin(part + 1) - begin(part); }
  std::int64_t largest() const { return (length + parts - 1) / parts; }
  /// The part of each element.
  std::vector<int> owners() const {
    std::vector<int> owner(static_cast<std::size_t>(length));
    for (int p = 0; p < parts; ++p)
      for (std::int64_t i = begin(p); i < begin(p + 1); ++i) owner[static_cast<std::size_t>(i)] = p;
    return owner;
  }
};

struct unmap {
  std::size_t bytes = 0;
  void operator()(complex* at) const;
};
/// Zeroed memory in separate pages. Large pages are used if the system has large pages.
using complex_array = std::unique_ptr<complex[], unmap>;
/// @throws std::bad_alloc
complex_array allocate_complex(std::ptrdiff_t count);

}  // namespace osteon::studies
