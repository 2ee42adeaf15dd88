#include <osteon/numerics/transforms/box_poisson.hpp>

#include <omp.h>

#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/kernel/lanes.hpp>

namespace osteon::numerics {

namespace {

constexpr std::int64_t lines_at_once = 8;  // lanes of kernel::complex_lanes
using four = kernel::lanes<double>::vector;

std::int64_t padded(std::int64_t count, std::int64_t to) { return (count + to - 1) / to * to; }

// Transpose a 4 x 4 block.
void transpose(four& a, four& b, four& c, four& d) {
  const four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const four cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

// Read up to four values; values beyond `count` are zero.
four read_some(const double* from, std::int64_t count) {
  four v{};
  if (count >= 4)
    kernel::load(v, from);
  else
    for (std::int64_t i = 0; i < count; ++i) v[i] = from[i];
  return v;
}
void write_some(double* to, std::int64_t count, const four& v) {
  if (count >= 4)
    kernel::store(to, v);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = v[i];
}

// Convert four rows of `length` values to one part of lines, and back. @param rows null: a row of zeros, which is not
// written
template <class Part>
void take_rows(const std::array<const double*, 4>& rows, std::int64_t length, kernel::complex_lanes* lines, Part part) {
  for (std::int64_t j = 0; j < length; j += 4) {
    four v[4]{};
    for (std::size_t r = 0; r < 4; ++r)
      if (rows[r] != nullptr) v[r] = read_some(rows[r] + j, length - j);
    transpose(v[0], v[1], v[2], v[3]);
    for (std::int64_t i = 0; i < 4; ++i) part(lines[j + i]) = v[i];
  }
}
template <class Part>
void give_rows(const kernel::complex_lanes* lines, std::int64_t length, const std::array<double*, 4>& rows, Part part) {
  for (std::int64_t j = 0; j < length; j += 4) {
    four v[4];
    for (std::int64_t i = 0; i < 4; ++i) v[i] = part(lines[j + i]);
    transpose(v[0], v[1], v[2], v[3]);
    for (std::size_t r = 0; r < 4; ++r)
      if (rows[r] != nullptr) write_some(rows[r] + j, length - j, v[r]);
  }
}
constexpr auto real_part = [](auto& v) -> auto& { return v.re; };
constexpr auto imaginary_part = [](auto& v) -> auto& { return v.im; };

}  // namespace

box_poisson::box_poisson(poisson_box box)
    : box_(std::move(box)),
      along_y_(box_.shape.y, box_.ends[1]),
      along_x_(box_.shape.x, box_.ends[2]),
      own_(box_.planes[at(comm::rank(box_.comm) + 1)] - box_.planes[at(comm::rank(box_.comm))]),
      width_(padded(box_.shape.x, lines_at_once)),
      columns_(padded(box_.shape.y * width_, cut_lines::lanes)),
      along_z_(box_.comm, box_.planes, box_.ends[0], by_column(false), by_column(true)),
      modes_(at(own_ * columns_)) {}

// Weighted sum of the eigenvalues of the x and y operators by column, or product of the norms of the modes. Both are divided
// by the weight along z.
std::vector<double> box_poisson::by_column(bool is_scale) const {
  std::vector<double> values(at(columns_), is_scale ? 0 : 1);
  for (std::int64_t y = 0; y < box_.shape.y; ++y)
    for (std::int64_t x = 0; x < box_.shape.x; ++x)
      values[at(y * width_ + x)] =
          is_scale ? along_y_.norms()[at(y)] * along_x_.norms()[at(x)] / box_.weight[0]
                   : (box_.weight[1] * along_y_.eigenvalues()[at(y)] + box_.weight[2] * along_x_.eigenvalues()[at(x)]) /
                         box_.weight[0];
  return values;
}

// Process planes by all threads, with memory for one plane per thread.
template <class Body>
void box_poisson::over_planes(const Body& body) const {
  const std::int64_t threads = omp_get_max_threads(), chunk = std::max<std::int64_t>(1, (own_ + threads - 1) / threads);
  for_each_block(own_, chunk, [&](std::int64_t begin, std::int64_t end) {
    scratch s;
    s.plane.resize(at(box_.shape.y * width_));
    s.lines.resize(at(padded(std::max<std::int64_t>(along_y_.length(), along_x_.length()), 4)));
    s.work.resize(at(std::max(along_y_.scratch_points(), along_x_.scratch_points())));
    for (std::int64_t z = begin; z < end; ++z) body(z, s);
  });
}

void box_poisson::solve(const double* right, double* solution) {
  const index3 shape = box_.shape;
  const auto row_of = [&](auto* base, std::int64_t z, std::int64_t y) {
    return y < shape.y ? base + box_.row[at(z * shape.y + y)] : nullptr;
  };
  over_planes([&](std::int64_t z, scratch& s) {
    for (std::int64_t y = 0; y < shape.y; y += lines_at_once) {
      const auto from = [&](std::int64_t n) { return row_of(right, z, y + n); };
      const auto to = [&](std::int64_t n) { return y + n < shape.y ? s.plane.data() + (y + n) * width_ : nullptr; };
      take_rows({from(0), from(1), from(2), from(3)}, shape.x, s.lines.data(), real_part);
      take_rows({from(4), from(5), from(6), from(7)}, shape.x, s.lines.data(), imaginary_part);
      along_x_.forward(s.lines.data(), s.work.data());
      give_rows(s.lines.data(), shape.x, {to(0), to(1), to(2), to(3)}, real_part);
      give_rows(s.lines.data(), shape.x, {to(4), to(5), to(6), to(7)}, imaginary_part);
    }
    double* const modes = modes_.data() + z * columns_;
    for (std::int64_t x = 0; x < width_; x += lines_at_once) {
      for (std::int64_t y = 0; y < shape.y; ++y) {
        kernel::load(s.lines[at(y)].re, s.plane.data() + y * width_ + x);
        kernel::load(s.lines[at(y)].im, s.plane.data() + y * width_ + x + 4);
      }
      along_y_.forward(s.lines.data(), s.work.data());
      for (std::int64_t y = 0; y < shape.y; ++y) {
        kernel::store(modes + y * width_ + x, s.lines[at(y)].re);
        kernel::store(modes + y * width_ + x + 4, s.lines[at(y)].im);
      }
    }
  });
  along_z_.solve(modes_.data());
  over_planes([&](std::int64_t z, scratch& s) {
    const double* const modes = modes_.data() + z * columns_;
    for (std::int64_t x = 0; x < width_; x += lines_at_once) {
      for (std::int64_t y = 0; y < shape.y; ++y) {
        kernel::load(s.lines[at(y)].re, modes + y * width_ + x);
        kernel::load(s.lines[at(y)].im, modes + y * width_ + x + 4);
      }
      along_y_.backward(s.lines.data(), s.work.data());
      for (std::int64_t y = 0; y < shape.y; ++y) {
        kernel::store(s.plane.data() + y * width_ + x, s.lines[at(y)].re);
        kernel::store(s.plane.data() + y * width_ + x + 4, s.lines[at(y)].im);
      }
    }
    for (std::int64_t y = 0; y < shape.y; y += lines_at_once) {
      const auto from = [&](std::int64_t n) -> const double* {
        return y + n < shape.y ? s.plane.data() + (y + n) * width_ : nullptr;
      };
      const auto to = [&](std::int64_t n) { return row_of(solution, z, y + n); };
      take_rows({from(0), from(1), from(2), from(3)}, shape.x, s.lines.data(), real_part);
      take_rows({from(4), from(5), from(6), from(7)}, shape.x, s.lines.data(), imaginary_part);
      along_x_.backward(s.lines.data(), s.work.data());
      give_rows(s.lines.data(), shape.x, {to(0), to(1), to(2), to(3)}, real_part);
      give_rows(s.lines.data(), shape.x, {to(4), to(5), to(6), to(7)}, imaginary_part);
    }
  });
}

// solve() reads the right-hand side, writes and reads the modes, and writes the solution. Lines remain in the caches.
kernel_work box_poisson::work() const {
  const auto cells = static_cast<double>(own_ * box_.shape.y * box_.shape.x);
  return along_z_.work() + cells * kernel_work{40, 2 * (along_y_.operations() / along_y_.length() +
                                                        along_x_.operations() / along_x_.length())};
}

}  // namespace osteon::numerics
