#include <osteon/solve/coarse_direct.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/together.hpp>

namespace osteon::solve {

namespace {

struct triplet {
  std::int32_t row, column;
  float value;
};

// The parts of a graph in which no point is held, each as the list of its points.
std::vector<std::vector<std::int32_t>> floating_parts(int count, const std::vector<triplet>& entries,
                                                      const std::vector<float>& held) {
  std::vector<std::int32_t> parent(static_cast<std::size_t>(count));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::int32_t i) {
    while (parent[static_cast<std::size_t>(i)] != i) i = parent[static_cast<std::size_t>(i)];
    return i;
  };
  for (const triplet& t : entries) {
    const std::int32_t a = root(t.row), b = root(t.column);
    parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  std::vector<std::vector<std::int32_t>> parts(parent.size());
  std::vector<bool> is_held(parent.size());
  for (std::int32_t i = 0; i < count; ++i) {
    const auto r = static_cast<std::size_t>(root(i));
    parts[r].push_back(i);
    if (held[static_cast<std::size_t>(i)] > 0) is_held[r] = true;
  }
  std::vector<std::vector<std::int32_t>> floating;
  for (std::size_t r = 0; r < parts.size(); ++r)
    if (!parts[r].empty() && !is_held[r]) floating.push_back(std::move(parts[r]));
  return floating;
}

void subtract_means(const std::vector<std::vector<std::int32_t>>& parts, Eigen::VectorXd& v) {
  for (const auto& part : parts) {
    double sum = 0;
    for (const std::int32_t i : part) sum += v[i];
    for (const std::int32_t i : part) v[i] -= sum / static_cast<double>(part.size());
  }
}

}  // namespace

coarse_direct::coarse_direct(MPI_Comm comm, const coarse_level& level, const level_geometry& geometry)
    : comm_(comm), owned_(level.matrix.rows()) {
  const kernel::sparse_rows& k = level.matrix;
  std::int32_t offset = 0;
  MPI_Exscan(&owned_, &offset, 1, MPI_INT, MPI_SUM, comm);
  const bool first = comm::rank(comm) == 0;
  if (first) offset = 0;  // MPI_Exscan leaves it undefined there
  std::vector<std::int32_t> global(static_cast<std::size_t>(owned_ + level.ghosts));
  std::iota(global.begin(), global.begin() + owned_, offset);
  level.halo.exchange(global.data());

  std::vector<triplet> mine;
  for (std::int32_t i = 0; i < owned_; ++i) {
    const auto row = static_cast<std::size_t>(i);
    mine.push_back({global[row], global[row], k.diagonal[row]});
    for (std::int32_t e = k.begin[row]; e < k.begin[row + 1]; ++e) {
      const std::int32_t column = global[static_cast<std::size_t>(k.column[static_cast<std::size_t>(e)])];
      // A point that is its own periodic neighbour exchanges nothing with itself.
      if (column == global[row]) mine.push_back({column, column, -k.conductance[static_cast<std::size_t>(e)]});
      if (column < global[row]) mine.push_back({global[row], column, -k.conductance[static_cast<std::size_t>(e)]});
    }
  }
  const auto ranks = static_cast<std::size_t>(first ? comm::size(comm) : 0);
  const auto gather_counts = [&](int own, std::vector<int>& counts, std::vector<int>& offsets) {
    counts.resize(ranks);
    MPI_Gather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
    offsets.resize(ranks);
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  };
  gather_counts(owned_, counts_, offsets_);
  std::vector<int> bytes, byte_offsets;
  const int own_bytes = static_cast<int>(mine.size() * sizeof(triplet));
  gather_counts(own_bytes, bytes, byte_offsets);
  std::vector<triplet> all(first ? static_cast<std::size_t>(byte_offsets.back() + bytes.back()) / sizeof(triplet) : 0);
  MPI_Gatherv(mine.data(), own_bytes, MPI_BYTE, all.data(), bytes.data(), byte_offsets.data(), MPI_BYTE, 0, comm);

  std::vector<float> held = loose_ends(geometry),
                     all_held(first ? static_cast<std::size_t>(offsets_.back() + counts_.back()) : 0);
  MPI_Gatherv(held.data(), owned_, MPI_FLOAT, all_held.data(), counts_.data(), offsets_.data(), MPI_FLOAT, 0, comm);

  comm::together(comm, [&] {
    if (!first) return;
    const int n = offsets_.back() + counts_.back();
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(all.size());
    for (const triplet& t : all) entries.emplace_back(t.row, t.column, static_cast<double>(t.value));
    floating_ = floating_parts(n, all, all_held);
    std::vector<double> diagonal(static_cast<std::size_t>(n));
    for (const triplet& t : all)
      if (t.row == t.column) diagonal[static_cast<std::size_t>(t.row)] += static_cast<double>(t.value);
    for (const auto& part : floating_) {  // holding one point makes the matrix regular and changes no solution
      const double own = diagonal[static_cast<std::size_t>(part.front())];
      entries.emplace_back(part.front(), part.front(), own > 0 ? own : 1);
    }
    Eigen::SparseMatrix<double> lower(n, n);
    lower.setFromTriplets(entries.begin(), entries.end());
    factor_.compute(lower);
    if (factor_.info() != Eigen::Success || !(factor_.vectorD().array() > 0).all())
      throw solve_error(
          fmt::format("the coarsest conduction matrix of {} unknowns cannot be factorised: a conductivity or a voxel "
                      "spacing is far out of the range of the others; check the materials and the spacing",
                      n));
  });
}

void coarse_direct::solve(const float* b, float* x) const {
  const bool first = !counts_.empty();
  const auto total = static_cast<std::size_t>(first ? offsets_.back() + counts_.back() : 0);
  std::vector<float> all(total);
  MPI_Gatherv(b, owned_, MPI_FLOAT, all.data(), counts_.data(), offsets_.data(), MPI_FLOAT, 0, comm_);
  if (first) {
    Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXf>(all.data(), static_cast<Eigen::Index>(total)).cast<double>();
    subtract_means(floating_, right);
    Eigen::VectorXd solution = factor_.solve(right);
    subtract_means(floating_, solution);
    Eigen::Map<Eigen::VectorXf>(all.data(), static_cast<Eigen::Index>(total)) = solution.cast<float>();
  }
  MPI_Scatterv(all.data(), counts_.data(), offsets_.data(), MPI_FLOAT, x, owned_, MPI_FLOAT, 0, comm_);
}

}  // namespace osteon::solve
