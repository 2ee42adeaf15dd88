#include <osteon/base/at.hpp>
#include <osteon/numerics/multigrid/heat_multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/numerics/multigrid/heat_cycle.hpp>
#include <span>
#include <utility>

namespace osteon::numerics {

namespace {

// A thermally isolated point has a zero diagonal; the value of such a point is unchanged.
template <class V>
V inverse(V diagonal) {
  const V value = 1.0F / diagonal;
  return diagonal > V{} ? value : V{};
}

constexpr double smoothed_band = 5;  // ratio of the highest to the lowest eigenvalue damped by the smoother

// Damping factors of `sweeps` Jacobi sweeps. The sweeps form a sequence of Chebyshev polynomials on [2 / smoothed_band, 2]
// with degrees of at most 4. Polynomials of higher degrees have consecutive large factors, which would amplify the rounding
// errors of high modes.
std::vector<float> chebyshev_weights(int sweeps) {
  const int degree = std::min(sweeps, 4);
  const double high = 2, low = high / smoothed_band;
  std::vector<float> weights;
  for (int n = 0; n < sweeps; ++n)
    weights.push_back(static_cast<float>(
        2 / (high + low + (high - low) * std::cos(std::numbers::pi * (2 * (n % degree) + 1) / (2 * degree)))));
  return weights;
}

// x = x + weight D^-1 (b - K x) for each weight. Every sweep swaps `x` and `other`; the result is in `x`.
template <class Operator>
void smooth(const Operator& k, const halo& links, std::span<const float> weights, const float* b, float*& x, float*& other) {
  for (const float weight : weights) {
    links.exchange(x);
    const float* from = x;
    float* to = other;
    for_each_flux(k, from, [=]<class V>(std::int32_t i, V flux, V diagonal) {
      kernel::put(to + i, kernel::get<V>(from + i) + weight * inverse(diagonal) * (kernel::get<V>(b + i) - flux));
    });
    std::swap(x, other);
  }
}

// Sums of `residual` over the children of a strip, in the order of the children for any number of threads.
// @param residual starts at the first child
void restrict_strip(const coarse_level& level, std::size_t strip, const float* residual, float* right_side) {
  for (std::int32_t p = level.strips[strip].piece; p < level.strips[strip + 1].piece; ++p) {
    float sum = 0;
    for (int n = 0; n < level.length[at(p)]; ++n) sum += *residual++;
    right_side[level.parent[at(p)]] += sum;
  }
}

std::int64_t strip_count(const coarse_level& level) { return static_cast<std::int64_t>(level.strips.size()) - 1; }

// Threads process one strip at a time. If the total work is small, one thread processes all strips.
template <class Each>
void for_each_strip(const coarse_level& level, Each each) {
  const std::int64_t count = strip_count(level);
  if (level.strips.back().point < shortest_parallel_loop)
    for (std::int64_t s = 0; s < count; ++s) each(at(s));
  else
    for_each_block(count, 1, [&](std::int64_t s, std::int64_t) { each(at(s)); });
}

void restrict_to(const coarse_level& level, const float* residual, std::vector<float>& right_side) {
  std::fill(right_side.begin(), right_side.end(), 0.0F);
  for_each_strip(level, [&](std::size_t strip) {
    restrict_strip(level, strip, residual + level.strips[strip].point, right_side.data());
  });
}

// @param unknown 0 for entries at which x is set to zero; null if there are none
void prolong(const coarse_level& level, float factor, const float* coarse, float* x, const std::uint8_t* unknown = nullptr) {
  for_each_strip(level, [&](std::size_t strip) {
    const std::int32_t begin = level.strips[strip].point, end = level.strips[strip + 1].point;
    float* to = x + begin;
    for (std::int32_t p = level.strips[strip].piece; p < level.strips[strip + 1].piece; ++p) {
      const float value = factor * coarse[level.parent[at(p)]];
      for (int n = 0; n < level.length[at(p)]; ++n) *to++ += value;
    }
    if (unknown == nullptr) return;
    for (std::int32_t i = begin; i < end; ++i) x[i] = unknown[i] == 0 ? 0 : x[i];
  });
}

// The operator defined by the cells.
heat_multigrid::cell_kernels conduction_kernels(const heat_cells& fine) {
  auto stencil = std::make_shared<const kernel::conduction_stencil<float>>(fine.stencil<float>());
  return {
      [stencil, ghosts = fine.owned, walls = fine.walls](const kernel::conduction_part& part, kernel::sweep way,
                                                         const float* r, float* z) {
        kernel::relax(*stencil, part, ghosts, walls, way, r, z);
      },
      [stencil](const kernel::conduction_part& part, const float* r, const float* z, std::int32_t first, float* residual) {
        for_each_flux(*stencil, part, z, [=]<class V>(std::int32_t i, V flux, V) {
          kernel::put(residual + (i - first), kernel::get<V>(r + i) - flux);
        });
      }};
}

}  // namespace

heat_multigrid::heat_multigrid(const heat_cells& fine) : heat_multigrid(fine, fine, conduction_kernels(fine)) {}

heat_multigrid::heat_multigrid(const heat_cells& kept, const heat_cells& fine, cell_kernels kernels)
    : fine_(kept), kernels_(std::move(kernels)) {
  const MPI_Comm comm = fine.where.comm;
  level_geometry geometry;
  const auto name_last = [&] { coarse_.back().links.name = heat_cycle::name_of_level(coarse_.size()); };
  coarse_.push_back(aggregate(fine, geometry));
  name_last();
  const auto unknowns = [&] { return comm::sum_over_ranks(comm, coarse_.back().matrix.rows()); };
  const auto may_grow = [&] { return next_shift(geometry.shift, fine.spacing_mm, fine.where.domain) != geometry.shift; };
  for (std::int64_t count = unknowns(), before = 3 * count; heat_cycle::coarsens(count, before) && may_grow();) {
    coarse_.push_back(aggregate(coarse_.back(), geometry));
    name_last();
    before = std::exchange(count, unknowns());
  }
  gathered_at_ = coarse_.size() - 1;
  coarse_level copy = coarse_.back();
  gathered_.emplace(comm, copy, geometry);
  coarse_.push_back(std::move(copy));
  while (coarse_.back().matrix.rows() > heat_cycle::direct_limit && may_grow())
    coarse_.push_back(aggregate(coarse_.back(), geometry));  // rank 0 only, without communication
  for (const coarse_level& level : coarse_) {
    const auto size = at(level.matrix.rows() + level.ghosts);
    work_.push_back({std::vector<float>(size), std::vector<float>(size), std::vector<float>(size)});
  }
  comm::collectively(comm, [&] { direct_.emplace(coarse_.back(), geometry); });
}

void heat_multigrid::smooth(kernel::sweep way, const float* r, float* z) const {
  const auto planes = static_cast<std::int64_t>(fine_.planes.size()) - 1;
  for (int colour = 0; colour < 2; ++colour) {
    fine_.links.exchange(z);
    const std::int64_t first = heat_cycle::first_plane(fine_.where.owned.begin.z, colour, way == kernel::sweep::back);
    for_each_block((planes - first + 1) / 2, 1, [&](std::int64_t n, std::int64_t) {
      kernels_.relax(fine_.part(first + 2 * n, first + 2 * n + 1), way, r, z);
    });
  }
}

// The part of the residual in each strip of planes is computed and immediately restricted. The full residual is therefore
// never stored.
void heat_multigrid::restrict_residual(const float* r, const float* z) {
  const coarse_level& level = coarse_[0];
  std::vector<float>& right_side = work_[0].right_side;
  std::fill(right_side.begin(), right_side.end(), 0.0F);
  for_each_strip(level, [&](std::size_t strip) {
    const std::int32_t begin = level.strips[strip].point, end = level.strips[strip + 1].point;
    const auto plane_of = [&](std::int32_t cell) {
      return std::lower_bound(fine_.planes.begin(), fine_.planes.end(), cell,
                              [](const conduction_plane& p, std::int32_t c) { return p.cell < c; }) -
             fine_.planes.begin();
    };
    // The values need no initialisation, because the loop below reads only values that have been set.
    const auto residual = std::make_unique_for_overwrite<float[]>(at(end - begin + kernel::conduction_padding));
    kernels_.residual(fine_.part(plane_of(begin), plane_of(end)), r, z, begin, residual.get());
    restrict_strip(level, strip, residual.get(), right_side.data());
  });
}

void heat_multigrid::apply(const float* r, float* z) {
  std::fill_n(z, fine_.walls, 0.0F);
  for (int n = 0; n < heat_cycle::cell_sweeps; ++n) smooth(kernel::sweep::forth, r, z);
  fine_.links.exchange(z);
  correct(r, z);
  for (int n = 0; n < heat_cycle::cell_sweeps; ++n) smooth(kernel::sweep::back, r, z);
}

void heat_multigrid::correct(const float* r, float* z) {
  restrict_residual(r, z);
  cycle(0);
  prolong(coarse_[0], kernels_.correction, work_[0].solution.data(), z, kernels_.unknown);
}

kernel_work heat_multigrid::work_of_cycle() const {
  // A sweep over a cell reads the right-hand side and a byte of directions, and reads and writes the value. For each of six
  // faces, the sweep multiplies a conductance by a difference, and adds the product and the diagonal entry.
  constexpr double of_product = 4 * 6 + 2;
  const auto owned = static_cast<double>(fine_.owned);
  constexpr double sweeps = 2 * heat_cycle::cell_sweeps;
  kernel_work all{owned * (sweeps * 13 + 9 + 8), owned * (sweeps * (of_product + 3) + of_product + 2)};
  for (std::size_t n = 0; n < gathered_at_; ++n) {
    const auto rows = static_cast<double>(coarse_[n].matrix.rows()),
               entries = static_cast<double>(coarse_[n].matrix.column.size());
    // Traffic of matrix, x, right-hand side and result. The first sweep starts from zero.
    const kernel_work product{8 * entries + rows * (4 + 4 + 12), 2 * entries + 5 * rows};
    all += 2.0 * kernels_.smoothing_sweeps(n + 1) * product + kernel_work{rows * (12 + 8), rows * 4};
  }
  return all;
}

void heat_multigrid::cycle(std::size_t n) {
  coarse_level& level = coarse_[n];
  work& w = work_[n];
  if (n == gathered_at_) {
    gathered_->gather(w.right_side.data(), work_[n + 1].right_side);
    cycle(n + 1);
    gathered_->scatter(work_[n + 1].solution, w.solution.data());
    return;
  }
  if (n + 1 == coarse_.size()) {
    direct_->solve(w.right_side.data(), w.solution.data());
    return;
  }
  const auto weights = chebyshev_weights(kernels_.smoothing_sweeps(n + 1));
  const kernel::sparse_rows& k = level.matrix;
  float* x = w.solution.data();
  float* other = w.other.data();
  const float* right = w.right_side.data();
  for_each(k.rows(),
           [&](std::int64_t i) { x[i] = weights[0] * right[i] * inverse(k.diagonal[at(static_cast<std::int32_t>(i))]); });
  numerics::smooth(k, level.links, std::span(weights).subspan(1), right, x, other);
  level.links.exchange(x);
  float* residual = other;
  for_each_flux(k, x, [=](std::int32_t i, float flux, float) { residual[i] = right[i] - flux; });
  restrict_to(coarse_[n + 1], residual, work_[n + 1].right_side);
  cycle(n + 1);
  prolong(coarse_[n + 1], 1, work_[n + 1].solution.data(), x);
  numerics::smooth(k, level.links, weights, right, x, other);
  if (x != w.solution.data()) std::swap(w.solution, w.other);
}

}  // namespace osteon::numerics
