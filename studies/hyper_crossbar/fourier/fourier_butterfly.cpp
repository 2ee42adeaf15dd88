#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/exchange/exchange.hpp>
#include <studies/hyper_crossbar/fourier/fourier_butterfly.hpp>

namespace osteon::studies {

namespace {

std::int64_t reversed(std::int64_t number, std::int64_t ranks) {
  std::int64_t result = 0;
  for (std::int64_t bit = 1; bit < ranks; bit *= 2) result = 2 * result + ((number & bit) != 0);
  return result;
}

// Product of two complex numbers. Unlike the operator of std::complex, this function has no special case for infinities.
complex product(complex a, complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The largest product of powers of two by which the sizes of the shape can be divided.
std::int64_t most_ranks(index3 shape) {
  std::int64_t most = 1;
  for (int axis = 0; axis < 3; ++axis) most *= shape[axis] & -shape[axis];
  return most;
}

}  // namespace

index3 fourier_butterfly::choose_grid(index3 shape, int ranks) {
  if (!std::has_single_bit(static_cast<unsigned>(ranks)) || ranks > most_ranks(shape)) {
    const std::int64_t most = most_ranks(shape);
    const auto below = std::min<std::int64_t>(std::bit_floor(static_cast<unsigned>(ranks)), most);
    const std::string above = 2 * below <= most ? fmt::format(" or {}", 2 * below) : "";
    throw usage_error(fmt::format(
        "butterflies of {} ranks on {} x {} x {} points (z, y, x): ranks must be a power of two, at most {} here; "
        "use {}{}",
        ranks, shape.z, shape.y, shape.x, most, below, above));
  }
  index3 grid{1, 1, 1};
  for (int left = ranks; left > 1; left /= 2) {
    int longest = -1;
    for (int axis = 0; axis < 3; ++axis) {
      if (shape[axis] / grid[axis] % 2 != 0) continue;
      if (longest < 0 || shape[axis] / grid[axis] > shape[longest] / grid[longest]) longest = axis;
    }
    grid[longest] *= 2;
  }
  return grid;
}

fourier_butterfly::fourier_butterfly(MPI_Comm comm, index3 shape, const fourier_options& options)
    : fourier_3d(comm, shape, options),
      grid_(choose_grid(shape, comm_.size())),
      place_{comm_.rank() / (grid_.y * grid_.x), comm_.rank() / grid_.x % grid_.y, comm_.rank() % grid_.x},
      local_{shape.z / grid_.z, shape.y / grid_.y, shape.x / grid_.x},
      plans_{fourier_plan(local_.z), fourier_plan(local_.y), fourier_plan(local_.x)} {
  for (int axis = 0; axis < 3; ++axis) {
    points_.begin[axis] = place_[axis] * local_[axis];
    points_.end[axis] = points_.begin[axis] + local_[axis];
    for (std::int64_t j = 0; j < local_[axis]; ++j)
      modes_[static_cast<std::size_t>(axis)].push_back(j * grid_[axis] + reversed(place_[axis], grid_[axis]));
  }
  row_ = mode_row_ = spread(local_.x);
  plane_ = mode_plane_ = spread(row_ * local_.y);
  points_memory_ = allocate_complex(plane_ * local_.z);
  modes_memory_ = allocate_complex(plane_ * local_.z);
  arrived_ = allocate_complex(comm_.size() > 1 ? plane_ * local_.z : 0);
  points_at_ = points_memory_.get();
  modes_at_ = modes_memory_.get();
}

// The distance of two partners is half the number of ranks of this stage. The partners have the values a and b. The lower
// partner computes a + b, and the upper partner computes (a - b) exp(-2 pi i p / n). n is the number of points in 2 * apart
// ranks. p is the index of a point, counted from the first point of the lower half. In the backward transform, the factor is
// applied before sum and difference.
void fourier_butterfly::stage(int axis, int s, fourier_direction direction) {
  const std::int64_t apart = grid_[axis] >> (s + 1), below = axis == 0 ? grid_.y * grid_.x : axis == 1 ? grid_.x : 1;
  const bool upper = (place_[axis] & apart) != 0, forward = direction == fourier_direction::forward;
  std::vector<complex> factors(static_cast<std::size_t>(local_[axis]));
  const std::int64_t first = place_[axis] % apart * local_[axis], points = 2 * apart * local_[axis];
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const long double angle = 6.283185307179586476925286766559L *
                              static_cast<long double>(first + static_cast<std::int64_t>(i)) /
                              static_cast<long double>(points);
    factors[i] = {static_cast<double>(std::cos(angle)), static_cast<double>(forward ? -std::sin(angle) : std::sin(angle))};
  }
  const auto multiply = [&] {
    if (!upper) return;
    for_each_block(local_.z, 1, [&](std::int64_t z, std::int64_t) {
      for (std::int64_t y = 0; y < local_.y; ++y)
        for (std::int64_t x = 0; x < local_.x; ++x) {
          complex& v = line(points_at_, z, y)[x];
          v = product(v, factors[static_cast<std::size_t>(index3{z, y, x}[axis])]);
        }
    });
  };
  if (!forward) multiply();
  const stopwatch clock;
  const auto elements = static_cast<std::size_t>(plane_ * local_.z);
  comm::butterfly_round(comm_.get(), std::countr_zero(static_cast<std::uint64_t>(apart * below)),
                        std::as_bytes(std::span(points_at_, elements)),
                        std::as_writable_bytes(std::span(arrived_.get(), elements)));
  account_.seconds += clock.seconds();
  account_.exchanges += 1;
  account_.messages += 1;
  account_.bytes += plane_ * local_.z * static_cast<std::ptrdiff_t>(sizeof(complex));
  for_each_block(local_.z, 1, [&](std::int64_t z, std::int64_t) {
    for (std::int64_t y = 0; y < local_.y; ++y) {
      complex *mine = line(points_at_, z, y), *theirs = line(arrived_.get(), z, y);
      for (std::int64_t x = 0; x < local_.x; ++x) mine[x] = upper ? theirs[x] - mine[x] : mine[x] + theirs[x];
    }
  });
  if (forward) multiply();
}

// Transform the part of an axis on this rank, for all lines of the rank.
void fourier_butterfly::transform(int axis, fourier_direction direction) {
  const fourier_plan& plan = plans_[static_cast<std::size_t>(axis)];
  const auto offset = regular_offsets(local_[axis], axis == 0 ? plane_ : axis == 1 ? row_ : 1);
  const std::int64_t layers = axis == 0 ? local_.y : local_.z, lines = axis == 2 ? local_.y : local_.x;
  for_each_block(layers, 1, [&](std::int64_t layer, std::int64_t) {
    complex* const base = points_at_ + layer * (axis == 0 ? row_ : plane_);
    const std::ptrdiff_t stride = axis == 2 ? row_ : 1;
    transform_lines(plan, direction, {base, offset, stride}, {base, offset, stride}, lines);
  });
}

void fourier_butterfly::forward() {
  for (const int axis : {2, 1, 0}) {
    for (int s = 0; (grid_[axis] >> s) > 1; ++s) stage(axis, s, fourier_direction::forward);
    transform(axis, fourier_direction::forward);
  }
  for_each_block(local_.z, 1, [&](std::int64_t z, std::int64_t) {
    std::copy_n(points_at_ + z * plane_, plane_, modes_at_ + z * plane_);
  });
}

void fourier_butterfly::backward(const mode_weights& weights) {
  for_each_block(local_.z, 1, [&](std::int64_t z, std::int64_t) {
    std::copy_n(modes_at_ + z * plane_, plane_, points_at_ + z * plane_);
    if (weights[0].empty()) return;
    for (std::int64_t y = 0; y < local_.y; ++y) {
      const double factor = weights[0][static_cast<std::size_t>(z)] * weights[1][static_cast<std::size_t>(y)];
      for (std::int64_t x = 0; x < local_.x; ++x)
        line(points_at_, z, y)[x] *= factor * weights[2][static_cast<std::size_t>(x)];
    }
  });
  for (const int axis : {0, 1, 2}) {
    transform(axis, fourier_direction::backward);
    for (int s = std::bit_width(static_cast<unsigned>(grid_[axis])) - 2; s >= 0; --s)
      stage(axis, s, fourier_direction::backward);
  }
}

}  // namespace osteon::studies
