#include <algorithm>
#include <cmath>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/render/rays/smooth_edges.hpp>

namespace osteon::render {

namespace {

constexpr int least_jump = 32;

// The brightness is the square root of the light, because the square root approximates perceived brightness. The level 0 is
// reserved for empty pixels.
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
  // Only the owner of a row has non-zero values in the row. MPI_BOR replaces MPI_MAX, because MPICH 4.0 compares unsigned
  // numbers as signed numbers.
  comm::all_reduce(comm, bright.data(), bright.size(), MPI_BOR);
  std::vector<bool> has;
  comm::collectively(comm, [&] {
    has.resize(bright.size());
    // Minima and maxima over three rows. At the ends, values are repeated.
    std::vector<std::uint8_t> least(wide + 2), most(wide + 2);
    for (int row = 0; row < height; ++row) {
      const auto line = [&](int at) {
        return bright.data() + static_cast<std::size_t>(std::clamp(at, 0, height - 1)) * wide;
      };
      const std::uint8_t *const above = line(row - 1), *const here = line(row), *const below = line(row + 1);
      for (std::size_t x = 0; x < wide; ++x) {
        least[x + 1] = std::min(std::min(above[x], below[x]), here[x]);
        most[x + 1] = std::max(std::max(above[x], below[x]), here[x]);
      }
      least.front() = least[1], least.back() = least[wide];
      most.front() = most[1], most.back() = most[wide];
      for (std::size_t x = 0; x < wide; ++x) {
        const int low = std::min(std::min(least[x], least[x + 1]), least[x + 2]),
                  high = std::max(std::max(most[x], most[x + 1]), most[x + 2]);
        if ((low == 0 && high > 0) || high - low > least_jump) has[static_cast<std::size_t>(row) * wide + x] = true;
      }
    }
  });
  return {width, std::move(has)};
}

void add_pixels(image& sum, const image& more, const pixel_set& only) {
  for_each_of(sum, only, [&](std::size_t i) {
    for (std::size_t c = i; c < i + 4; ++c) sum.rgba[c] += more.rgba[c];
  });
}

void add_and_clear(image& sum, std::vector<std::array<float, 4>>& more, const pixel_box& frame, const pixel_set& only) {
#pragma omp parallel for
  for (int row = frame.top; row < frame.bottom; ++row)
    for (int column = frame.left; column < frame.right; ++column) {
      if (!only.has(column, row)) continue;
      auto& taken = more[static_cast<std::size_t>((row - frame.top) * frame.width() + column - frame.left)];
      float* const to =
          sum.rgba.data() + 4 * (static_cast<std::size_t>(row - sum.first_row) * static_cast<std::size_t>(sum.width) +
                                 static_cast<std::size_t>(column));
      for (std::size_t c = 0; c < 4; ++c) to[c] += taken[c];
      taken = {};
    }
}

void divide_pixels(image& sum, int rays, const pixel_set& only) {
  for_each_of(sum, only, [&](std::size_t i) {
    for (std::size_t c = i; c < i + 4; ++c) sum.rgba[c] /= static_cast<float>(rays);
  });
}

}  // namespace osteon::render
