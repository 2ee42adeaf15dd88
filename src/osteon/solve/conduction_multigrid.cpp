#include <osteon/solve/conduction_multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace osteon::solve {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// A point that exchanges heat with nothing has a diagonal of zero; it is left alone.
float inverse(float diagonal) { return diagonal > 0 ? 1 / diagonal : 0; }

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

// Jacobi sweeps before and after the correction: 2 on the cells, twice as many on each coarser level up to 32. Measured
// on porous images of 64^3 to 192^3 cells: without the growth, or with 8 at most, iterations grow with the image.
int smoothing_sweeps(std::size_t level) { return 2 << std::min<std::size_t>(level, 4); }

// x = x + weight D^-1 (b - K x) for each weight. `x` and `other` change places with every sweep; x holds the result.
template <class Operator, class Inverse>
void smooth(const Operator& k, const plane_halo& halo, const std::vector<float>& weights, const float* b,
            Inverse inverse_of, float*& x, float*& other) {
  for (const float weight : weights) {
    halo.exchange(x);
    const float* from = x;
    float* to = other;
    for_each_flux(k, from, [=](std::int32_t i, float flux) {
      to[i] = from[i] + weight * inverse_of(i) * (b[i] - flux);
    });
    std::swap(x, other);
  }
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

conduction_multigrid::conduction_multigrid(const conduction_cells& fine)
    : fine_(fine), stencil_(fine.stencil<float>()), inverse_diagonal_(at(fine.owned())) {
  kernel::visit_faces(stencil_,
                      [&](std::int32_t i, std::int32_t, int, bool, float g) { inverse_diagonal_[at(i - fine.begin)] += g; });
  for (std::int32_t i = fine.begin; i < fine.end; ++i) {
    float& d = inverse_diagonal_[at(i - fine.begin)];
    d = inverse(d + stencil_.storage[fine.material[at(i)]]);
  }

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
  const float* diagonal = inverse_diagonal_.data() - begin;
  const auto inverse_of = [=](std::int32_t i) { return diagonal[i]; };
  const float* right = r.data();
  float* x = z.data();
  float* other = spare.data();
  // The first sweep starts from zero, so it needs no operator.
  const float first_weight = weights[0];
  float* start = x;
  for_each(fine_.owned(), [=](std::int64_t n) {
    const auto i = begin + n;
    start[i] = first_weight * diagonal[i] * right[i];
  });
  const std::vector<float> rest(weights.begin() + 1, weights.end());
  smooth(stencil_, fine_.halo, rest, right, inverse_of, x, other);

  fine_.halo.exchange(x);
  float* residual = other;
  for_each_flux(stencil_, x, [=](std::int32_t i, float flux) { residual[i] = right[i] - flux; });
  restrict_to(coarse_[0], residual + begin, work_[0].right_side);
  cycle(0);
  prolong(coarse_[0], work_[0].solution.data(), x + begin);
  smooth(stencil_, fine_.halo, weights, right, inverse_of, x, other);
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
  const float* diagonal = k.diagonal.data();
  const auto inverse_of = [=](std::int32_t i) { return inverse(diagonal[i]); };
  float* x = w.solution.data();
  float* other = w.other.data();
  const float* right = w.right_side.data();
  for_each(k.rows(), [&](std::int64_t i) { x[i] = weights[0] * right[i] * inverse(diagonal[i]); });
  smooth(k, level.halo, {weights.begin() + 1, weights.end()}, right, inverse_of, x, other);
  level.halo.exchange(x);
  float* residual = other;
  for_each_flux(k, x, [=](std::int32_t i, float flux) { residual[i] = right[i] - flux; });
  restrict_to(coarse_[n + 1], residual, work_[n + 1].right_side);
  cycle(n + 1);
  prolong(coarse_[n + 1], work_[n + 1].solution.data(), x);
  smooth(k, level.halo, weights, right, inverse_of, x, other);
  if (x != w.solution.data()) std::swap(w.solution, w.other);
}

}  // namespace osteon::solve
