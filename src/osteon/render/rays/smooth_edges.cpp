#include <algorithm>
#include <cmath>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/render/rays/smooth_edges.hpp>

namespace osteon::render {

namespace {

constexpr int least_jump = 32;

// The square root is near to what the eye makes of brightness. 0 is kept for pixels that show nothing.
std::uint8_t brightness_of(const float* pixel) {
  if (!(pixel[3] > 0)) return 0;
  const float light = 0.2126F * pixel[0] + 0.7152F * pixel[1] + 0.0722F * pixel[2];
  return static_cast<std::uint8_t>(1 + std::lround(254 * std::sqrt(std::clamp(light, 0.0F, 1.0F))));
}

template <class F>
void for_each_of(const image& rows, const pixel_set& only, F change) {
#pragma omp parallel for
  for (int row = 0; row < rows.height; ++row)
    for (int column = 0; column < rows.width; ++column)
      if (only.has(column, rows.first_row + row))
        change(4 *
               (static_cast<std::size_t>(row) * static_cast<std::size_t>(rows.width) + static_cast<std::size_t>(column)));
}

}  // namespace

pixel_set find_edges(MPI_Comm comm, const image& rows, int height) {
  int width = rows.width;
  comm::all_reduce(comm, &width, 1, MPI_MAX);
  const auto wide = static_cast<std::size_t>(width);
  std::vector<std::uint8_t> bright;
  comm::collectively(comm, [&] {
    bright.resize(wide * static_cast<std::size_t>(height));
    const auto own = bright.begin() + static_cast<std::ptrdiff_t>(wide) * rows.first_row;
    for (std::size_t i = 0; i < rows.rgba.size() / 4; ++i)
      own[static_cast<std::ptrdiff_t>(i)] = brightness_of(rows.rgba.data() + 4 * i);
  });
  // A row belongs to one rank and is 0 on all others, so that BOR joins them; MPICH 4.0 compares unsigned numbers as signed
  // ones.
  comm::all_reduce(comm, bright.data(), bright.size(), MPI_BOR);
  std::vector<bool> has;
  comm::collectively(comm, [&] {
    has.resize(bright.size());
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        int least = 255, most = 0;
        for (int y = std::max(0, row - 1); y <= std::min(height - 1, row + 1); ++y)
          for (int x = std::max(0, column - 1); x <= std::min(width - 1, column + 1); ++x) {
            const int b = bright[static_cast<std::size_t>(y) * wide + static_cast<std::size_t>(x)];
            least = std::min(least, b);
            most = std::max(most, b);
          }
        const bool ends = least == 0 && most > 0;
        has[static_cast<std::size_t>(row) * wide + static_cast<std::size_t>(column)] = ends || most - least > least_jump;
      }
  });
  return {width, std::move(has)};
}

void add_pixels(image& sum, const image& more, const pixel_set& only) {
  for_each_of(sum, only, [&](std::size_t i) {
    for (std::size_t c = i; c < i + 4; ++c) sum.rgba[c] += more.rgba[c];
  });
}

void divide_pixels(image& sum, int rays, const pixel_set& only) {
  for_each_of(sum, only, [&](std::size_t i) {
    for (std::size_t c = i; c < i + 4; ++c) sum.rgba[c] /= static_cast<float>(rays);
  });
}

}  // namespace osteon::render
