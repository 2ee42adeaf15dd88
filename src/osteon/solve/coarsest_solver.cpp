#include <osteon/solve/coarsest_solver.hpp>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <numeric>
#include <osteon/comm/together.hpp>

namespace osteon::solve {

namespace {

template <class T>
MPI_Datatype type_of() {
  if constexpr (std::is_same_v<T, float>)
    return MPI_FLOAT;
  else
    return MPI_INT64_T;
}

std::vector<int> gather_counts(MPI_Comm comm, std::size_t mine) {
  const int count = static_cast<int>(mine);
  std::vector<int> counts(static_cast<std::size_t>(comm::size(comm)));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  return counts;
}

std::vector<int> starts(const std::vector<int>& counts) {
  std::vector<int> begin(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begin.begin(), 0);
  return begin;
}

// The values of all ranks on rank 0, in the order of the ranks; nothing elsewhere.
template <class T>
std::vector<T> gather(MPI_Comm comm, const std::vector<T>& mine, const std::vector<int>& counts) {
  const bool is_root = comm::rank(comm) == 0;
  std::vector<T> all(is_root ? static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)) : 0);
  const auto begin = starts(counts);
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), type_of<T>(), all.data(), counts.data(), begin.data(),
              type_of<T>(), 0, comm);
  return all;
}

}  // namespace

struct coarsest_solver::root {
  std::vector<std::int32_t> owned_node, any_node;  // global place of each value's node, rank after rank
  std::vector<Eigen::Index> unknown;               // of each global degree of freedom, -1 without stiffness
  Eigen::Index unknowns = 0;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor;
};

coarsest_solver::coarsest_solver(MPI_Comm comm, const kernel::block_rows& rows, std::span<const std::int64_t> ids,
                                 const grid::shared_nodes& shared)
    : comm_(comm), nodes_(ids.size()) {
  std::vector<std::int64_t> owned_ids;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (!std::binary_search(shared.not_owned().begin(), shared.not_owned().end(), static_cast<std::int32_t>(i))) {
      owned_.push_back(static_cast<std::int32_t>(i));
      owned_ids.push_back(ids[i]);
    }
  std::vector<std::int64_t> places;  // row and column of each block
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::int64_t k = rows.row_begin[i]; k < rows.row_begin[i + 1]; ++k) {
      places.push_back(ids[i]);
      places.push_back(ids[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])]);
    }
  std::vector<float> blocks(rows.value.begin(), rows.value.begin() + static_cast<std::ptrdiff_t>(9 * rows.column.size()));

  owned_counts_ = gather_counts(comm, owned_.size());
  all_counts_ = gather_counts(comm, ids.size());
  const auto all_owned = gather(comm, owned_ids, owned_counts_);
  const auto all_ids = gather(comm, std::vector<std::int64_t>(ids.begin(), ids.end()), all_counts_);
  const auto all_places = gather(comm, places, gather_counts(comm, places.size()));
  const auto all_blocks = gather(comm, blocks, gather_counts(comm, blocks.size()));
  for (auto* counts : {&owned_counts_, &all_counts_})  // from here on in values: 4 a node
    for (int& n : *counts) n *= 4;

  comm::together(comm, [&] {
    if (comm::rank(comm) != 0) return;
    root_ = std::make_unique<root>();
    std::vector<std::int64_t> sorted = all_owned;
    std::sort(sorted.begin(), sorted.end());
    const auto place = [&](std::int64_t id) {
      return static_cast<std::int32_t>(std::lower_bound(sorted.begin(), sorted.end(), id) - sorted.begin());
    };
    for (const std::int64_t id : all_owned) root_->owned_node.push_back(place(id));
    for (const std::int64_t id : all_ids) root_->any_node.push_back(place(id));

    std::vector<double> diagonal(3 * sorted.size());
    for (std::size_t b = 0; b < all_places.size() / 2; ++b)
      if (all_places[2 * b] == all_places[2 * b + 1])
        for (std::size_t c = 0; c < 3; ++c)
          diagonal[3 * static_cast<std::size_t>(place(all_places[2 * b])) + c] += all_blocks[9 * b + 4 * c];
    for (const double d : diagonal) root_->unknown.push_back(d > 0 ? root_->unknowns++ : -1);
    if (root_->unknowns == 0) return;

    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t b = 0; b < all_places.size() / 2; ++b)
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t r = 0; r < 3; ++r) {
          const auto i = root_->unknown[3 * static_cast<std::size_t>(place(all_places[2 * b])) + r];
          const auto j = root_->unknown[3 * static_cast<std::size_t>(place(all_places[2 * b + 1])) + c];
          if (i >= 0 && j >= 0) entries.emplace_back(i, j, all_blocks[9 * b + 3 * c + r]);
        }
    Eigen::SparseMatrix<double> matrix(root_->unknowns, root_->unknowns);
    matrix.setFromTriplets(entries.begin(), entries.end());
    std::vector<Eigen::Triplet<double>> on_diagonal;
    for (std::size_t d = 0; d < diagonal.size(); ++d)
      if (root_->unknown[d] >= 0) on_diagonal.emplace_back(root_->unknown[d], root_->unknown[d], diagonal[d]);
    Eigen::SparseMatrix<double> shift(root_->unknowns, root_->unknowns);
    shift.setFromTriplets(on_diagonal.begin(), on_diagonal.end());
    // Single precision sums may leave a tiny negative eigenvalue where nothing is held. A preconditioner has to be
    // positive, so the diagonal is raised until it is: as a rule by far less than the next eigenvalues.
    constexpr double smallest_shift = 1e-6, largest_shift = 1e-2;
    for (double by = smallest_shift;; by *= 10) {
      if (by > largest_shift)
        throw solve_error("the stiffness on the coarsest level is not positive; check Young's moduli and the voxel size");
      root_->factor.compute(matrix + by * shift);
      if (root_->factor.info() == Eigen::Success && (root_->factor.vectorD().array() > 0).all()) break;
    }
  });
}

coarsest_solver::~coarsest_solver() = default;

void coarsest_solver::solve(const float* b, float* x) const {
  std::vector<float> mine;
  for (const std::int32_t node : owned_)
    mine.insert(mine.end(), b + 4 * static_cast<std::int64_t>(node), b + 4 * static_cast<std::int64_t>(node) + 4);
  const std::vector<float> all = gather(comm_, mine, owned_counts_);
  std::vector<float> answer;
  if (root_) {
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(root_->unknowns);
    for (std::size_t i = 0; i < root_->owned_node.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        if (const auto u = root_->unknown[3 * static_cast<std::size_t>(root_->owned_node[i]) + c]; u >= 0)
          rhs[u] = all[4 * i + c];
    const Eigen::VectorXd solution = root_->unknowns > 0 ? Eigen::VectorXd(root_->factor.solve(rhs)) : rhs;
    answer.assign(4 * root_->any_node.size(), 0.0F);
    for (std::size_t i = 0; i < root_->any_node.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        if (const auto u = root_->unknown[3 * static_cast<std::size_t>(root_->any_node[i]) + c]; u >= 0)
          answer[4 * i + c] = static_cast<float>(solution[u]);
  }
  const auto begin = starts(all_counts_);
  MPI_Scatterv(answer.data(), all_counts_.data(), begin.data(), MPI_FLOAT, x, static_cast<int>(4 * nodes_), MPI_FLOAT, 0,
               comm_);
}

}  // namespace osteon::solve
