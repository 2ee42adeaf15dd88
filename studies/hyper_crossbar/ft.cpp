#include <algorithm>
#include <cmath>
#include <osteon/base/for_each.hpp>
#include <osteon/base/stopwatch.hpp>
#include <studies/hyper_crossbar/ft.hpp>
#include <studies/hyper_crossbar/integer_sort/npb_random.hpp>
#include <studies/measure/over_ranks.hpp>

namespace osteon::studies {

namespace {

using complex = std::complex<double>;

// The real and imaginary parts of all points are consecutive random numbers, in order of x, y, z. Each product depends on
// the previous product. Several lines are therefore filled at a time.
void set_initial_values(fourier_3d& transform) {
  const index3 shape = transform.shape();
  const box3 mine = transform.points();
  const std::int64_t per_line = 2 * shape.x, first = 2 * mine.begin.x, count = 2 * mine.shape().x;
  const std::int64_t lines = mine.shape().z * mine.shape().y;
  constexpr std::int64_t together = 4;
  for_each_block(lines, together, [&](std::int64_t begin, std::int64_t end) {
    npb_random random[together];
    double* target[together];
    for (std::int64_t i = 0; i < together; ++i) {
      const std::int64_t line = std::min(begin + i, end - 1), z = line / mine.shape().y, y = line % mine.shape().y;
      random[i].skip(static_cast<std::uint64_t>(((z + mine.begin.z) * shape.y + y + mine.begin.y) * per_line + first));
      target[i] = reinterpret_cast<double*>(transform.point_line(z, y));
    }
    for (std::int64_t k = 0; k < count; ++k)
      for (std::int64_t i = 0; i < together; ++i) target[i][k] = random[i].next();
  });
}

// The factors exp(-4 alpha pi^2 k^2 t) of the modes along an axis, with k from -n/2 to n/2 - 1.
std::vector<double> decay(std::span<const std::int64_t> modes, std::int64_t length, int t) {
  constexpr double alpha = 1e-6, pi = 3.14159265358979323846;
  std::vector<double> factors;
  for (const std::int64_t mode : modes) {
    const auto k = static_cast<double>(mode < (length + 1) / 2 ? mode : mode - length);
    factors.push_back(std::exp(-4 * alpha * pi * pi * k * k * t));
  }
  return factors;
}

complex checksum(MPI_Comm comm, fourier_3d& transform) {
  const index3 shape = transform.shape();
  complex sum = 0;
  for (std::int64_t j = 1; j <= 1024; ++j) {
    const index3 point{5 * j % shape.z, 3 * j % shape.y, j % shape.x}, at = point - transform.points().begin;
    if (transform.points().contains(point)) sum += transform.point_line(at.z, at.y)[at.x];
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, comm);
  return sum / static_cast<double>(shape.volume());
}

}  // namespace

ft_report run_ft(MPI_Comm comm, const ft_class& problem, const fourier_options& options, int transforms) {
  const auto transform = fourier_3d::make(comm, problem.shape, options);
  ft_report report;
  report.options = transform->options();
  set_initial_values(*transform);
  transform->forward();

  MPI_Barrier(comm);
  const exchange_account before = transform->account();
  const double cpu_before = cpu_seconds();
  const stopwatch clock;
  set_initial_values(*transform);
  const stopwatch first;
  transform->forward();
  report.transform = largest(comm, first.seconds());
  for (int t = 1; t <= static_cast<int>(problem.checksums.size()); ++t) {
    std::vector<double> z = decay(transform->modes(0), problem.shape.z, t),
                        y = decay(transform->modes(1), problem.shape.y, t),
                        x = decay(transform->modes(2), problem.shape.x, t);
    transform->backward({z, y, x});
    report.checksums.push_back(checksum(comm, *transform));
  }
  const double seconds = clock.seconds();
  report.cpu = cpu_seconds() - cpu_before;

  const exchange_account& after = transform->account();
  const double trans = after.seconds - before.seconds;
  report.account = {largest(comm, trans), after.exchanges - before.exchanges, after.messages - before.messages,
                    after.bytes - before.bytes};
  for (std::int64_t* counter : {&report.account.messages, &report.account.bytes})
    MPI_Allreduce(MPI_IN_PLACE, counter, 1, MPI_INT64_T, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &report.cpu, 1, MPI_DOUBLE, MPI_SUM, comm);
  report.seconds = largest(comm, seconds);
  report.exec = largest(comm, seconds - trans);
  report.trans = report.seconds - report.exec;
  for (std::size_t i = 0; i < problem.checksums.size(); ++i)
    report.error = std::max(report.error, std::abs(report.checksums[i] / problem.checksums[i] - 1.0));
  for (int i = 0; i < transforms; ++i) {
    set_initial_values(*transform);
    MPI_Barrier(comm);
    const stopwatch once;
    transform->forward();
    report.transform = std::min(report.transform, largest(comm, once.seconds()));
  }
  report.verified = report.error <= 1e-12;
  return report;
}

double ft_mops(const ft_class& problem, double seconds) {
  const auto points = static_cast<double>(problem.shape.volume()), log = std::log(points);
  const auto iterations = static_cast<double>(problem.checksums.size());
  return 1e-6 * points * (14.8157 + 7.19641 * log + (5.23518 + 7.21113 * log) * iterations) / seconds;
}

}  // namespace osteon::studies
