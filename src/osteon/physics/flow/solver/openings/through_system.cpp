#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/through_system.hpp>

namespace osteon::physics {

through_system::through_system(const open_flow_cells& of)
    : open(of), cells(of.cells), single(cells.stencil<float>()), in_double(cells.stencil<double>()), preconditioner(cells) {
  for (const flow_side& side : open.sides)
    if (side.face >= 0) open_faces.emplace_back(side.axis(), side.face);
  for (auto* of_double : {&x, &exact}) of_double->assign(at(4 * stride()), 0.0);
  for (auto* of_single : {&r, &s, &p, &v, &w, &change}) of_single->assign(at(4 * stride()), 0.0F);
}

void through_system::begin(const std::vector<std::pair<std::int64_t, double>>& given,
                           const std::vector<std::pair<std::int64_t, double>>& entries, double factor_of_last) {
  right = entries;
  for (double& value : x) value *= factor_of_last;
  for (const auto& [place, value] : given) x[at(place)] = value;
}

double through_system::begin_norm() {
  const double first_residual = residual();
  const auto start = squares(s);
  // Weight of velocities relative to pressures. In the first s, velocities and pressures have equal total weights. The
  // weight is limited. Otherwise, rounding errors would dominate if velocities or pressures are nearly zero at the start.
  unit = start[0] > 0 ? std::clamp(std::sqrt(start[1] / start[0]), 1.0, 10.0) : 1;
  first = std::sqrt(unit * unit * start[0] + start[1]);
  return first_residual;
}

void through_system::multiply(std::vector<float>& of) {
  for (std::int64_t c = 0; c < 4; ++c) cells.grid.links.exchange(of.data() + c * stride());
  for_each_stokes(single, of.data(), {}, [to = v.data(), n = stride()]<class V>(int c, std::int32_t i, V value) {
    kernel::put(to + c * n + i, value);
  });
}

void through_system::exchange_answer() {
  for (std::int64_t c = 0; c < 4; ++c) cells.grid.links.exchange(x.data() + c * stride());
}

void through_system::find_exact_residual() {
  exchange_answer();
  for_each_stokes(in_double, x.data(), {}, [to = exact.data(), n = stride()]<class V>(int c, std::int32_t i, V value) {
    kernel::put(to + c * n + i, -value);
  });
  for (const auto& [place, value] : right) exact[at(place)] += value;
}

void through_system::round_residual() {
  for_each(4 * stride(), [to = r.data(), from = exact.data()](std::int64_t i) { to[i] = static_cast<float>(from[i]); });
}

void through_system::precondition(const float* r_of, float* z, float velocity_scale) {
  preconditioner.apply(r_of, z, velocity_scale);
  remove_free_pressure(z + 3 * stride());
}

template <class T>
void through_system::remove_free_pressure(T* pressure) const {
  if (open.free_parts == 0) return;
  std::vector<double> means(2 * at(open.free_parts));
  for (std::int32_t i = 0; i < cells.grid.owned; ++i)
    if (const std::int32_t of = open.free_part[at(i)]; of >= 0)
      means[2 * at(of)] += static_cast<double>(pressure[i]), ++means[2 * at(of) + 1];
  comm::counted_all_reduce(comm(), means.data(), means.size(), MPI_SUM);
  for (std::int32_t i = 0; i < cells.grid.owned; ++i)
    if (const std::int32_t of = open.free_part[at(i)]; of >= 0)
      pressure[i] = static_cast<T>(static_cast<double>(pressure[i]) - means[2 * at(of)] / means[2 * at(of) + 1]);
}
template void through_system::remove_free_pressure(float*) const;
template void through_system::remove_free_pressure(double*) const;

void through_system::remove_free_pressure_of_answer() {
  const auto sends = part("free_pressure");
  remove_free_pressure(x.data() + 3 * stride());
}

std::array<double, 2> through_system::squares(const std::vector<float>& of) const {
  const auto sends = part("size");
  return sums<2>([&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
    const float* const own = of.data() + c * stride() + begin;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (std::int64_t i = 0; i < n; ++i) square += static_cast<double>(own[i]) * static_cast<double>(own[i]);
    sum[c == 3 ? 1 : 0] = square;
  });
}

double through_system::size(const std::vector<float>& of) const {
  const auto sum = squares(of);
  return std::sqrt(unit * unit * sum[0] + sum[1]);
}

double through_system::size_of_answer() const {
  const auto sends = part("size_of_answer");
  const auto sum = sums<1>([&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& all) {
    const double* const own = x.data() + c * stride() + begin;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (std::int64_t i = 0; i < n; ++i) square += own[i] * own[i];
    all[0] = weight(c) * square;
  });
  return std::sqrt(sum[0]);
}

double through_system::residual() const {
  const auto sum = squares(r);
  return std::sqrt(sum[0] + sum[1]);
}

double through_system::imbalance() const {
  const auto sends = part("imbalance");
  double net = 0, gross = 0;
  for (std::int32_t i = 0; i < cells.grid.owned; ++i) net += exact[at(3 * stride() + i)];
  for (const auto& [axis, face] : open_faces) gross += cells.slope[axis] * std::abs(x[axis * at(stride()) + at(face)]);
  const auto all = sum_of_ranks(comm(), std::array{net, gross});
  return all[1] > 0 ? 2 * all[0] / all[1] : 0;
}

}  // namespace osteon::physics
