#include <studies/subdomain_mapping/block/heat_block.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <osteon/base/splitmix.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <studies/subdomain_mapping/block/jacobi_steps.hpp>
#include <type_traits>
#include <vector>

namespace osteon::studies {

namespace {

constexpr double damping = 2.0 / 3;
// number of half waves along each axis; the numbers differ, so that exchanged axes are detected
constexpr index3 waves{1, 2, 3};

// Values of the factor of the mode along an axis. The factor is 0 at a distance of one cell outside the grid.
std::vector<double> mode_along(std::int64_t cells, std::int64_t begin, std::int64_t end, std::int64_t half_waves) {
  std::vector<double> values;
  for (std::int64_t i = begin; i < end; ++i)
    values.push_back(
        std::sin(static_cast<double>(half_waves * (i + 1)) * std::numbers::pi / static_cast<double>(cells + 1)));
  return values;
}

class mode {
 public:
  mode(index3 cells, const box3& box) {
    for (int a = 0; a < 3; ++a)
      along_[static_cast<std::size_t>(a)] = mode_along(cells[a], box.begin[a], box.end[a], waves[a]);
  }
  double operator()(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return along_[0][static_cast<std::size_t>(z)] * along_[1][static_cast<std::size_t>(y)] *
           along_[2][static_cast<std::size_t>(x)];
  }

 private:
  std::array<std::vector<double>, 3> along_;
};

}  // namespace

double mode_factor(index3 cells) {
  double sum = 0;
  for (int a = 0; a < 3; ++a)
    sum += 2 * std::cos(static_cast<double>(waves[a]) * std::numbers::pi / static_cast<double>(cells[a] + 1));
  return (1 - damping) + damping / 6 * sum;
}

template <class T>
heat_block<T>::heat_block(MPI_Comm comm, const cartesian& where)
    : where_(where), box_(where.box_of(comm::rank(comm))), halo_(comm, where) {
  comm::collectively(comm, [&] {
    now_ = ghosted_block<T>(box_.shape());
    next_ = ghosted_block<T>(box_.shape());
  });
  set_mode();
}

template <class T>
void heat_block<T>::set_mode() {
  const mode exact(where_.cells(), box_);
  const auto values = now_.view();
  const index3 shape = values.shape();
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) values(z, y, x) = static_cast<T>(exact(z, y, x));
  steps_ = 0;
}

template <class T>
void heat_block<T>::start() {
  const stopwatch clock;
  halo_.start(now_.view());
  exchange_seconds_ += clock.seconds();
}

template <class T>
void heat_block<T>::finish() {
  const stopwatch clock;
  halo_.finish(now_.view());
  exchange_seconds_ += clock.seconds();
}

template <class T>
void heat_block<T>::sweep(const box3& region, const jacobi_walk& walk) {
  jacobi_sweep<T>(jacobi_weights<T>::damped(damping), now_.view(), next_.view(), region, walk);
}

template <class T>
void heat_block<T>::step(const heat_way& way) {
  const box3 all{{}, box_.shape()};
  exchange_seconds_ = 0;
  start();
  if (!way.overlap) {
    finish();
    sweep(all, way.walk);
  } else {
    box3 inner = all;
    for (const face side : faces)
      if (halo_.has(side)) (side.upper ? inner.end : inner.begin)[side.axis] += side.upper ? -1 : 1;
    // Complete rows are computed with the old ghosts at the ends of the rows, because whole cache lines are stored. The ends
    // of the rows are computed again later.
    box3 rows = inner;
    rows.begin.x = 0;
    rows.end.x = all.end.x;
    sweep(rows, way.walk);
    finish();
    jacobi_walk edge = way.walk;
    edge.stream = false;
    box3 rest = all;  // the remaining box shrinks from face to face; no cell of the shell is therefore computed twice
    for (const face side : faces) {
      if (!halo_.has(side)) continue;
      box3 shell = rest;
      (side.upper ? shell.begin : shell.end)[side.axis] =
          (side.upper ? rest.end : rest.begin)[side.axis] + (side.upper ? -1 : 1);
      sweep(shell, edge);
      (side.upper ? rest.end : rest.begin)[side.axis] += side.upper ? -1 : 1;
      if (rest.empty()) break;
    }
  }
  std::swap(now_, next_);
  ++steps_;
}

template <class T>
void heat_block<T>::exchange_alone() {
  exchange_seconds_ = 0;
  start();
  finish();
}

template <class T>
void heat_block<T>::sweep_alone(const jacobi_walk& walk) {
  sweep({{}, box_.shape()}, walk);
  std::swap(now_, next_);
  ++steps_;
}

template <class T>
void heat_block<T>::sweeps_at_once(int sweeps) {
  jacobi_steps<T>(jacobi_weights<T>::damped(damping), now_.view(), next_.view(), sweeps);
  std::swap(now_, next_);
  steps_ += sweeps;
}

template <class T>
double heat_block<T>::error() const {
  const mode exact(where_.cells(), box_);
  const auto values = now_.view();
  const index3 shape = values.shape();
  const double amplitude = std::pow(mode_factor(where_.cells()), static_cast<double>(steps_));
  double worst = 0;
#pragma omp parallel for schedule(static) reduction(max : worst)
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const double difference = std::abs(static_cast<double>(values(z, y, x)) - amplitude * exact(z, y, x));
        if (!(difference <= worst)) worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
      }
  return worst / amplitude;
}

template <class T>
std::uint64_t heat_block<T>::digest() const {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const auto values = now_.view();
  const index3 shape = values.shape(), cells = where_.cells();
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const index3 at = box_.begin + index3{z, y, x};
        const auto place = static_cast<std::uint64_t>((at.z * cells.y + at.y) * cells.x + at.x);
        sum += mix_bits(mix_bits(place) + std::bit_cast<bits>(values(z, y, x)));
      }
  return sum;
}

template class heat_block<float>;
template class heat_block<double>;

}  // namespace osteon::studies
