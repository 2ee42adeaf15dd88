#include <osteon/base/stopwatch.hpp>
#include <studies/hyper_crossbar/fourier/fourier.hpp>
#include <studies/hyper_crossbar/fourier/fourier_parts.hpp>
#include <studies/hyper_crossbar/integer_sort/npb_random.hpp>
#include <studies/hyper_crossbar/predict.hpp>

namespace osteon::studies {

namespace {

// Transform all lines of one axis in the part of a PU. The lines are contiguous lines or columns. The results are in the
// blocks of the next exchange.
struct lines_of_axis {
  static lines_of_axis rows(std::int64_t length, std::int64_t points, int group) {
    const std::int64_t part = length / group, lines = points / length;
    lines_of_axis result{fourier_plan(length), lines, regular_offsets(length, 1), {}, length, part};
    for (std::int64_t e = 0; e < length; ++e) result.to.push_back(e / part * part * lines + e % part);
    return result;
  }
  static lines_of_axis columns(std::int64_t length, std::int64_t points) {
    const std::int64_t lines = points / length;
    const auto offset = regular_offsets(length, spread(lines));
    return {fourier_plan(length), lines, offset, offset, 1, 1};
  }
  void transform(fourier_direction direction, const complex* source, complex* target, fourier_weights weights = {}) const {
    transform_lines(plan, direction, {source, from, stride}, {target, to, to_stride}, lines, weights);
  }

  fourier_plan plan;
  std::int64_t lines;
  std::vector<std::ptrdiff_t> from, to;
  std::ptrdiff_t stride, to_stride;
};

}  // namespace

double measure_ft_share(const ft_class& problem, int pus) {
  const fourier_folding f = fourier_3d::squarest_folding(problem.shape, pus);
  const std::int64_t points = problem.shape.volume() / pus;
  const auto x = lines_of_axis::rows(problem.shape.x, points, f.rows);
  const auto y = lines_of_axis::columns(problem.shape.y, points), z = lines_of_axis::columns(problem.shape.z, points);
  // number of elements for the longest axis in columns
  const std::int64_t spread = points + 4 * std::max(problem.shape.y, problem.shape.z);
  std::vector<complex> first(static_cast<std::size_t>(spread)), second(first.size()), modes(first.size());
  const std::vector<double> decay(static_cast<std::size_t>(problem.shape.z), 0.99),
      decay_of_line(static_cast<std::size_t>(z.lines), 0.99);

  const auto once = [&] {
    const double begin = cpu_seconds();
    npb_random random;
    for (complex& v : first) {
      const double re = random.next();
      v = {re, random.next()};
    }
    x.transform(fourier_direction::forward, first.data(), second.data());
    y.transform(fourier_direction::forward, second.data(), first.data());
    z.transform(fourier_direction::forward, first.data(), modes.data());
    for (std::size_t t = 0; t < problem.checksums.size(); ++t) {
      z.transform(fourier_direction::backward, modes.data(), first.data(), {decay, decay_of_line});
      y.transform(fourier_direction::backward, first.data(), second.data());
      x.transform(fourier_direction::backward, second.data(), first.data());
    }
    return cpu_seconds() - begin;
  };
  // The transforms are repeated for some time, because the transforms of one of thousands of PUs require less than a
  // millisecond.
  double best = once();
  for (const stopwatch all; all.seconds() < 0.2;) best = std::min(best, once());
  return best;
}

}  // namespace osteon::studies
