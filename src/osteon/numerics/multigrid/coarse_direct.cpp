#include <osteon/numerics/multigrid/coarsest_heat.hpp>

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <osteon/base/at.hpp>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/base/error.hpp>

namespace osteon::numerics {

namespace {

// The connected parts of a graph without a fixed point, each as a list of points.
std::vector<std::vector<std::int32_t>> floating_parts(const kernel::sparse_rows& k, const std::vector<float>& held) {
  disjoint_sets sets(held.size());
  for (std::int32_t i = 0; i < k.rows(); ++i)
    for (std::int32_t e = k.begin[at(i)]; e < k.begin[at(i) + 1]; ++e) sets.unite(i, k.column[at(e)]);
  std::vector<std::vector<std::int32_t>> parts(held.size());
  std::vector<bool> is_held(held.size());
  for (std::int32_t i = 0; i < k.rows(); ++i) {
    const std::size_t r = at(sets.find(i));
    parts[r].push_back(i);
    if (held[at(i)] > 0) is_held[r] = true;
  }
  std::vector<std::vector<std::int32_t>> floating;
  for (std::size_t r = 0; r < parts.size(); ++r)
    if (!parts[r].empty() && !is_held[r]) floating.push_back(std::move(parts[r]));
  return floating;
}

// Diagonals in double precision. A diagonal is the sum of the row's conductances and of the point's coupling to the
// surroundings. The rounded diagonals of the level may be smaller than this sum. With rounded diagonals, the matrix of a
// part with little or no coupling to the surroundings could be indefinite.
std::vector<double> exact_diagonals(const kernel::sparse_rows& k, const std::vector<float>& held) {
  std::vector<double> sum(held.begin(), held.end());
  for (std::int32_t i = 0; i < k.rows(); ++i)
    for (std::int32_t e = k.begin[at(i)]; e < k.begin[at(i) + 1]; ++e)
      if (const std::int32_t column = k.column[at(e)]; column < i) {
        const auto conductance = static_cast<double>(k.conductance[at(e)]);
        sum[at(i)] += conductance;
        sum[at(column)] += conductance;
      }
  return sum;
}

void subtract_means(const std::vector<std::vector<std::int32_t>>& parts, Eigen::VectorXd& v) {
  for (const auto& part : parts) {
    double sum = 0;
    for (const std::int32_t i : part) sum += v[i];
    for (const std::int32_t i : part) v[i] -= sum / static_cast<double>(part.size());
  }
}

}  // namespace

struct coarse_direct::factorisation : Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> {};

coarse_direct::~coarse_direct() = default;
coarse_direct::coarse_direct(coarse_direct&&) noexcept = default;

coarse_direct::coarse_direct(const coarse_level& level, const level_geometry& geometry)
    : factor_(std::make_unique<factorisation>()) {
  const kernel::sparse_rows& k = level.matrix;
  if (k.rows() == 0) return;
  const std::vector<float> held = diagonal_without_neighbours(geometry);
  floating_ = floating_parts(k, held);
  const std::vector<double> diagonal = exact_diagonals(k, held);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::int32_t i = 0; i < k.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    entries.emplace_back(i, i, diagonal[row]);
    for (std::int32_t e = k.begin[row]; e < k.begin[row + 1]; ++e)
      if (const std::int32_t column = k.column[static_cast<std::size_t>(e)]; column < i)
        entries.emplace_back(i, column, -static_cast<double>(k.conductance[static_cast<std::size_t>(e)]));
  }
  for (const auto& part : floating_) {  // a fixed point makes the matrix regular without changing a solution
    const double own = diagonal[at(part.front())];
    entries.emplace_back(part.front(), part.front(), own > 0 ? own : 1);
  }
  Eigen::SparseMatrix<double> lower(k.rows(), k.rows());
  lower.setFromTriplets(entries.begin(), entries.end());
  factor_->compute(lower);
  if (factor_->info() != Eigen::Success || !(factor_->vectorD().array() > 0).all())
    throw solve_error(
        fmt::format("cannot factorise the coarsest conduction matrix ({} unknowns): conductivities or voxel spacings "
                    "differ by too many orders of magnitude; check the materials and the spacing",
                    k.rows()));
}

void coarse_direct::solve(const float* b, float* x) const {
  const Eigen::Index n = factor_->cols();
  if (n == 0) return;
  Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXf>(b, n).cast<double>();
  subtract_means(floating_, right);
  Eigen::VectorXd solution = factor_->solve(right);
  subtract_means(floating_, solution);
  Eigen::Map<Eigen::VectorXf>(x, n) = solution.cast<float>();
}

}  // namespace osteon::numerics
