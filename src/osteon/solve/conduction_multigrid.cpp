#include <osteon/solve/conduction_multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace osteon::solve {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// A point that exchanges heat with nothing has a diagonal of zero; it is left alone.
template <class V>
V inverse(V diagonal) {
  const V value = 1.0F / diagonal;
  return diagonal > V{} ? value : V{};
}

constexpr double smoothed_band = 5;  // highest over lowest eigenvalue that the smoother has to damp

// Damping factors of Jacobi sweeps: Chebyshev polynomials on [2 / smoothed_band, 2], as many as give `sweeps`.
// Of degree 4 at most: in one of higher degree the large factors in a row would amplify the rounding of high modes.
std::vector<float> chebyshev_weights(int sweeps) {
  const int degree = std::min(sweeps, 4);
  const double high = 2, low = high / smoothed_band;
  std::vector<float> weights;
  for (int n = 0; n < sweeps; ++n)
    weights.push_back(static_cast<float>(
        2 / (high + low + (high - low) * std::cos(std::numbers::pi * (2 * (n % degree) + 1) / (2 * degree)))));
  return weights;
}

// Jacobi sweeps before and after the correction: few on the cells, more on the coarse levels, up to 32. Measured on porous
// images of 64^3 to 192^3 cells: with fewer, iterations grow with the image.
int smoothing_sweeps(std::size_t level) { return level == 0 ? 3 : 4 << std::min<std::size_t>(level, 3); }

// x = x + weight D^-1 (b - K x) for each weight. `x` and `other` change places with every sweep; x holds the result.
template <class Operator>
void smooth(const Operator& k, const plane_halo& halo, std::span<const float> weights, const float* b, float*& x,
            float*& other) {
  for (const float weight : weights) {
    halo.exchange(x);
    const float* from = x;
    float* to = other;
    for_each_flux(k, from, [=]<class V>(std::int32_t i, V flux, V diagonal) {
      kernel::put(to + i, kernel::get<V>(from + i) + weight * inverse(diagonal) * (kernel::get<V>(b + i) - flux));
    });
    std::swap(x, other);
  }
}

// The first sweep from zero: it needs no neighbours.
template <class Operator>
void smooth_from_zero(const Operator& k, float weight, const float* b, float* x) {
  for_each_flux(k, b, [=]<class V>(std::int32_t i, V, V diagonal) {
    kernel::put(x + i, weight * inverse(diagonal) * kernel::get<V>(b + i));
  });
}

// Sums of `residual` over the children, in the order of the children whatever the number of threads.
void restrict_to(const coarse_level& level, const float* residual, std::vector<float>& right_side) {
  std::fill(right_side.begin(), right_side.end(), 0.0F);
  for_each(static_cast<std::int64_t>(level.strip.size()) - 1, [&](std::int64_t s) {
    for (std::int32_t i = level.strip[static_cast<std::size_t>(s)]; i < level.strip[static_cast<std::size_t>(s) + 1]; ++i)
      right_side[at(level.parent[at(i)])] += residual[i];
  });
}

void prolong(const coarse_level& level, const float* coarse, float* x) {
  for_each(static_cast<std::int64_t>(level.parent.size()),
           [&](std::int64_t i) { x[i] += coarse[level.parent[static_cast<std::size_t>(i)]]; });
}

constexpr std::int64_t direct_limit = 1500;  // unknowns that rank 0 solves for: less work than one more level

}  // namespace

conduction_multigrid::conduction_multigrid(const conduction_cells& fine) : fine_(fine), stencil_(fine.stencil<float>()) {
  level_geometry geometry;
  coarse_.push_back(aggregate(fine, geometry));
  const auto unknowns = [&] {
    std::int64_t n = coarse_.back().matrix.rows();
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, fine.where.comm);
    return n;
  };
  while (unknowns() > direct_limit && next_shift(geometry.shift, fine.spacing_mm, fine.where.domain) != geometry.shift)
    coarse_.push_back(aggregate(coarse_.back(), geometry));
  for (const coarse_level& level : coarse_) {
    const auto size = at(level.matrix.rows() + level.ghosts);
    work_.push_back({std::vector<float>(size), std::vector<float>(size), std::vector<float>(size)});
  }
  direct_.emplace(fine.where.comm, coarse_.back(), geometry);
}

void conduction_multigrid::apply(std::span<const float> r, std::vector<float>& z, std::vector<float>& spare) {
  const auto weights = chebyshev_weights(smoothing_sweeps(0));
  const std::int32_t begin = fine_.begin;
  const float* right = r.data();
  float* x = z.data();
  float* other = spare.data();
  smooth_from_zero(stencil_, weights[0], right, x);
  smooth(stencil_, fine_.halo, std::span(weights).subspan(1), right, x, other);

  fine_.halo.exchange(x);
  float* residual = other;
  for_each_flux(stencil_, x,
                [=]<class V>(std::int32_t i, V flux, V) { kernel::put(residual + i, kernel::get<V>(right + i) - flux); });
  restrict_to(coarse_[0], residual + begin, work_[0].right_side);
  cycle(0);
  prolong(coarse_[0], work_[0].solution.data(), x + begin);
  smooth(stencil_, fine_.halo, weights, right, x, other);
  if (x != z.data()) std::swap(z, spare);
}

void conduction_multigrid::cycle(std::size_t n) {
  coarse_level& level = coarse_[n];
  work& w = work_[n];
  if (n + 1 == coarse_.size()) {
    direct_->solve(w.right_side.data(), w.solution.data());
    return;
  }
  const auto weights = chebyshev_weights(smoothing_sweeps(n + 1));
  const kernel::sparse_rows& k = level.matrix;
  float* x = w.solution.data();
  float* other = w.other.data();
  const float* right = w.right_side.data();
  for_each(k.rows(),
           [&](std::int64_t i) { x[i] = weights[0] * right[i] * inverse(k.diagonal[at(static_cast<std::int32_t>(i))]); });
  smooth(k, level.halo, std::span(weights).subspan(1), right, x, other);
  level.halo.exchange(x);
  float* residual = other;
  for_each_flux(k, x, [=](std::int32_t i, float flux, float) { residual[i] = right[i] - flux; });
  restrict_to(coarse_[n + 1], residual, work_[n + 1].right_side);
  cycle(n + 1);
  prolong(coarse_[n + 1], work_[n + 1].solution.data(), x);
  smooth(k, level.halo, weights, right, x, other);
  if (x != w.solution.data()) std::swap(w.solution, w.other);
}

}  // namespace osteon::solve
