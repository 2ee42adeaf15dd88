#pragma once
/// @file
/// Loops over the rays of a rectangle of pixels. The rectangle is divided into parts, and all threads process parts.
#include <algorithm>
#include <cstdint>
#include <osteon/render/rays/view.hpp>

namespace osteon::render {

/// Compute the sum of `body(part)` over square parts of `own`. The parts are square, because the rays of a square part read
/// the same voxels from the cache.
template <class F>
std::int64_t over_parts(const pixel_box& own, F body) {
  constexpr int edge = 16;
  const std::int64_t across = (own.width() + edge - 1) / edge, down = (own.height() + edge - 1) / edge;
  std::int64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (std::int64_t t = 0; t < across * down; ++t) {
    const int left = own.left + static_cast<int>(t % across) * edge, top = own.top + static_cast<int>(t / across) * edge;
    sum += body(pixel_box{left, top, std::min(own.right, left + edge), std::min(own.bottom, top + edge)});
  }
  return sum;
}

}  // namespace osteon::render
