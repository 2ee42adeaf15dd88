#include <osteon/physics/flow/solver/transport/transport_multigrid.hpp>

#include <fmt/format.h>

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/multigrid/aggregation.hpp>
#include <osteon/physics/flow/solver/transport/transport_level.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr std::int64_t most_direct = 1000;     // maximum number of unknowns that are factorised
constexpr std::int64_t most_gathered = 20000;  // number of unknowns on all ranks; below this number, rank 0 alone continues
// if a cycle of a coarse level reduces the residual to this fraction, a second cycle is unnecessary
constexpr float good_enough = 0.25F;
constexpr std::int32_t planes_in_slab = 4;

// Inner product over the owned values. If the level is shared, the product is over all ranks.
double inner(MPI_Comm comm, const std::vector<float>& a, const std::vector<float>& b, std::int32_t count) {
  double sum = reduce_blocks(count, [&](std::int64_t begin, std::int64_t end) {
    double part = 0;
    for (std::int64_t i = begin; i < end; ++i) part += static_cast<double>(a[at(i)]) * static_cast<double>(b[at(i)]);
    return part;
  });
  if (comm != MPI_COMM_SELF) comm::counted_all_reduce(comm, &sum, 1, MPI_SUM);
  return sum;
}

float product(const transport_rows& k, std::size_t row, const float* x) {
  float sum = k.diagonal[row] * x[row];
  for (std::int32_t e = k.begin[row]; e < k.begin[row + 1]; ++e) sum -= k.coupling[at(e)] * x[k.column[at(e)]];
  return sum;
}

}  // namespace

struct transport_multigrid::level {
  transport_rows rows;
  halo between;
  bool is_shared = false;            // true if the level is distributed over ranks
  std::vector<std::int32_t> parent;  // parents of the points of the finer level
  // first row of each slab, followed by the number of rows; slabs with equal parity are not coupled
  std::vector<std::int32_t> slabs;
  std::vector<float> right, x, residual;
  std::array<std::vector<float>, 2> found, image;  // vectors of the K-cycle

  void take(transport_geometry& geometry, bool shared) {
    rows = rows_of(geometry);
    between = geometry.between;
    is_shared = shared;
    const std::size_t size = geometry.loose.size() + at(geometry.ghosts);
    for (auto* v : {&right, &x, &residual}) v->assign(size, 0);
    slabs.clear();
    std::int32_t slab = -1;
    for (std::size_t i = 0; i < geometry.places.size(); ++i) {
      const std::int32_t own = geometry.places[i].z / planes_in_slab;
      if (own < slab) {  // a gathered level is not ordered by planes
        slabs.assign(1, 0);
        break;
      }
      if (own != slab) slabs.push_back(static_cast<std::int32_t>(i));
      slab = own;
    }
    slabs.push_back(rows.rows());
  }
  void exchange(float* v) const {
    if (is_shared) between.exchange(v);
  }
  MPI_Comm comm() const { return is_shared ? between.comm : MPI_COMM_SELF; }
  // Product with x. The function makes the ghosts of x current.
  void multiply(float* of, float* y) const {
    exchange(of);
    for_each(rows.rows(), [&, of, y](std::int64_t i) { y[i] = product(rows, at(i), of); });
  }
};

struct transport_multigrid::direct {
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factor;
  Eigen::Index size = 0;

  explicit direct(const transport_rows& k) : size(k.rows()) {
    if (size == 0) return;
    std::vector<Eigen::Triplet<double>> entries;
    for (std::int32_t i = 0; i < k.rows(); ++i) {
      entries.emplace_back(i, i, static_cast<double>(k.diagonal[at(i)]));
      for (std::int32_t e = k.begin[at(i)]; e < k.begin[at(i) + 1]; ++e)
        entries.emplace_back(i, k.column[at(e)], -static_cast<double>(k.coupling[at(e)]));
    }
    Eigen::SparseMatrix<double> matrix(size, size);
    matrix.setFromTriplets(entries.begin(), entries.end());
    factor.compute(matrix);
    if (factor.info() != Eigen::Success)
      throw solve_error(
          fmt::format("the coarsest temperature matrix ({} unknowns) cannot be factorised: conductivities or velocities "
                      "differ by too many orders of magnitude; check the materials and the flow",
                      size));
  }
  void solve(const float* b, float* x) const {
    if (size == 0) return;
    const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXf>(b, size).cast<double>();
    const Eigen::VectorXd solution = factor.solve(right);
    Eigen::Map<Eigen::VectorXf>(x, size) = solution.cast<float>();
  }
};

struct transport_multigrid::gathered {
  MPI_Comm comm = MPI_COMM_NULL;
  std::size_t below = 0;  // index of the gathered level; the next level is a copy of this level on rank 0
  std::vector<int> counts, offsets;
  int owned = 0;
};

transport_multigrid::~transport_multigrid() = default;

transport_multigrid::transport_multigrid(const transport_cells& cells) {
  const MPI_Comm comm = cells.grid.where.comm;
  transport_geometry geometry = geometry_of(cells);
  const bool is_shared = comm::size(comm) > 1;
  // the box is periodic and on one rank
  if (!is_shared && geometry.ghosts > 0) geometry = gathered_on_first(comm, geometry);
  const auto push = [&](bool shared) {
    levels_.push_back(std::make_unique<level>());
    levels_.back()->take(geometry, shared);
  };
  const auto may_grow = [&] { return next_shift(geometry.shift, geometry.spacing_mm, geometry.domain) != geometry.shift; };
  const auto count = [&] { return comm::sum_over_ranks(comm, levels_.back()->rows.rows()); };
  const auto coarsen = [&](bool shared) {
    std::vector<std::int32_t> parent;
    geometry = coarsened(geometry, levels_.back()->rows, parent);
    push(shared);
    levels_.back()->parent = std::move(parent);
  };
  push(is_shared);
  for (std::int64_t now = count(), before = 4 * now;
       may_grow() && now > (is_shared ? most_gathered : most_direct) && 2 * now < before + before / 2;) {
    before = now;
    coarsen(is_shared);
    now = count();
  }
  if (is_shared) {
    gathered_ = std::make_unique<gathered>();
    gathered_->comm = comm;
    gathered_->below = levels_.size() - 1;
    gathered_->owned = levels_.back()->rows.rows();
    gathered_->counts = comm::gathered_counts(comm, gathered_->owned);
    gathered_->offsets = comm::offsets_of(gathered_->counts);
    geometry = gathered_on_first(comm, geometry);
    push(false);
    while (levels_.back()->rows.rows() > most_direct && may_grow()) coarsen(false);
  }
  for (std::size_t n = 1; n < levels_.size(); ++n)
    for (std::size_t k = 0; k < 2; ++k) {
      levels_[n]->found[k].assign(levels_[n]->x.size(), 0);
      levels_[n]->image[k].assign(levels_[n]->x.size(), 0);
    }
  comm::collectively(comm, [&] { direct_ = std::make_unique<direct>(levels_.back()->rows); });
}

// Gauss-Seidel sweep in slabs. The forward sweep begins with even slabs. For values of other ranks, the sweep uses the
// values before the sweep.
void transport_multigrid::smooth(const level& on, bool forth, const float* right, float* x, bool from_zero) const {
  const transport_rows& k = on.rows;
  if (from_zero)
    std::fill(x, x + k.rows() + (on.x.size() - at(k.rows())), 0.0F);
  else
    on.exchange(x);
  const auto relax = [&](std::int32_t i) {
    const std::size_t row = at(i);
    float sum = right[row];
    for (std::int32_t e = k.begin[row]; e < k.begin[row + 1]; ++e) sum += k.coupling[at(e)] * x[k.column[at(e)]];
    if (k.diagonal[row] > 0) x[row] = sum / k.diagonal[row];
  };
  const auto slabs = static_cast<std::int64_t>(on.slabs.size()) - 1;
  for (const std::int64_t parity : {forth ? 0 : 1, forth ? 1 : 0})
    for_each_block((slabs - parity + 1) / 2, 1, [&](std::int64_t n, std::int64_t) {
      const std::int32_t begin = on.slabs[at(2 * n + parity)], end = on.slabs[at(2 * n + parity + 1)];
      if (forth)
        for (std::int32_t i = begin; i < end; ++i) relax(i);
      else
        for (std::int32_t i = end; i-- > begin;) relax(i);
    });
}

void transport_multigrid::apply(const float* r, float* z) { cycle(0, r, z); }

void transport_multigrid::cycle(std::size_t n, const float* right, float* x) {
  level& own = *levels_[n];
  if (gathered_ && n == gathered_->below) {
    level& all = *levels_[n + 1];
    const gathered& g = *gathered_;
    {
      const auto counted = comm::counted_call::gather(g.comm, "coarsest level to rank 0", g.counts, g.owned, sizeof(float));
      comm::gather_values(g.comm, right, g.owned, all.right.data(), g.counts, g.offsets);
    }
    cycle(n + 1, all.right.data(), all.x.data());
    const auto counted = comm::counted_call::scatter(g.comm, "coarsest level from rank 0", g.counts, g.owned, sizeof(float));
    comm::scatter_values(g.comm, all.x.data(), g.counts, g.offsets, x, g.owned);
    return;
  }
  if (n + 1 == levels_.size()) {
    direct_->solve(right, x);
    return;
  }
  smooth(own, true, right, x, true);
  own.multiply(x, own.residual.data());
  level& coarse = *levels_[n + 1];
  std::fill(coarse.right.begin(), coarse.right.end(), 0.0F);
  for (std::size_t i = 0; i < at(own.rows.rows()); ++i) coarse.right[at(coarse.parent[i])] += right[i] - own.residual[i];
  correct(n + 1);
  for (std::size_t i = 0; i < at(own.rows.rows()); ++i) x[i] += coarse.x[at(coarse.parent[i])];
  smooth(own, false, right, x, false);
}

void transport_multigrid::count_messages() {
  for (std::size_t n = 1; n < levels_.size() && levels_[n]->is_shared; ++n) {
    level& own = *levels_[n];
    for (const int which : {1, 2}) {
      const auto sends = part(n, which);
      cycle(n, own.right.data(), own.found[0].data());
      own.multiply(own.found[0].data(), own.image[0].data());
      for (int k = 0; k < which + 1; ++k) inner(own.comm(), own.x, own.x, own.rows.rows());
    }
  }
}

// Counted part of a cycle on a level that is distributed over ranks. The part is the first cycle or the second cycle. Only a
// few corrections need the second cycle.
comm::sent_part transport_multigrid::part(std::size_t n, int which) const {
  const level& own = *levels_[n];
  return {own.is_shared ? own.between.comm : MPI_COMM_SELF,
          own.is_shared ? fmt::format("heat_cycle_{}_of_level_{}", which, n) : std::string()};
}

// Solve a coarse level for its right-hand side by at most two cycles. As in GCR, the combination of the cycles minimises the
// residual.
void transport_multigrid::correct(std::size_t n) {
  level& own = *levels_[n];
  const std::int32_t count = own.rows.rows();
  const bool is_last = n + 1 == levels_.size();
  if (is_last) return cycle(n, own.right.data(), own.x.data());
  auto& [c1, c2] = own.found;
  auto& [v1, v2] = own.image;
  std::vector<float>& r = own.right;
  const double size = [&] {
    const comm::sent_part sends(own.comm(), "heat_size");
    return inner(own.comm(), r, r, count);
  }();
  if (size == 0) return std::fill(own.x.begin(), own.x.end(), 0.0F);
  const auto [rho1, alpha1] = [&] {
    const auto sends = part(n, 1);
    cycle(n, r.data(), c1.data());
    own.multiply(c1.data(), v1.data());
    return std::array{inner(own.comm(), v1, v1, count), inner(own.comm(), v1, r, count)};
  }();
  if (!(rho1 > 0)) return std::fill(own.x.begin(), own.x.end(), 0.0F);
  const double t1 = alpha1 / rho1;
  if (size - alpha1 * t1 <= static_cast<double>(good_enough * good_enough) * size) {
    for (std::size_t i = 0; i < at(count); ++i) own.x[i] = static_cast<float>(t1) * c1[i];
    return;
  }
  for (std::size_t i = 0; i < at(count); ++i) r[i] -= static_cast<float>(t1) * v1[i];
  const auto sends = part(n, 2);
  cycle(n, r.data(), c2.data());
  own.multiply(c2.data(), v2.data());
  const double gamma = inner(own.comm(), v2, v1, count), beta = inner(own.comm(), v2, v2, count),
               alpha2 = inner(own.comm(), v2, r, count);
  const double rho2 = beta - gamma * gamma / rho1;
  const double t2 = rho2 > 1e-12 * beta ? alpha2 / rho2 : 0;
  const auto f1 = static_cast<float>(t1 - gamma * t2 / rho1), f2 = static_cast<float>(t2);
  for (std::size_t i = 0; i < at(count); ++i) own.x[i] = f1 * c1[i] + f2 * c2[i];
}

}  // namespace osteon::physics
