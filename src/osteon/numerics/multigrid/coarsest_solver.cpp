#include <osteon/comm/offsets.hpp>
#include <osteon/numerics/multigrid/elasticity_multigrid.hpp>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <numeric>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <span>

namespace osteon::numerics {

namespace {

// Gather the values of all ranks on rank 0, in rank order. The result is empty on other ranks.
template <class T>
std::vector<T> gather(MPI_Comm comm, const std::vector<T>& mine, const std::vector<int>& counts) {
  const bool is_root = comm::rank(comm) == 0;
  std::vector<T> all(is_root ? static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)) : 0);
  comm::gather_values(comm, mine.data(), static_cast<int>(mine.size()), all.data(), counts, comm::offsets_of(counts));
  return all;
}

std::vector<int> counts_of(MPI_Comm comm, std::size_t mine) { return comm::gathered_counts(comm, static_cast<int>(mine)); }

// L of a factorisation L D L^T: strictly lower, without the unit diagonal. Up to four adjacent columns with equal rows form
// a group, which reads and writes each row once. The substitution is serial: other ranks and threads wait for it.
struct grouped_factor {
  const Eigen::SparseMatrix<double>& l;
  std::span<const int> first_column;  // first column of each group, and the end

  template <int width>
  struct group {
    const double* value[width];  // entries of each column: first the rows of the group, then the rows in `row`
    const int* row;
    int rows;
  };
  template <int width>
  group<width> at(int column) const {
    const int* const begin = l.outerIndexPtr() + column;
    group<width> of{{}, l.innerIndexPtr() + begin[width - 1], begin[width] - begin[width - 1]};
    for (int c = 0; c < width; ++c) of.value[c] = l.valuePtr() + begin[c];
    return of;
  }

  template <int width>
  void forth(int column, double* x) const {
    const group<width> of = at<width>(column);
    double known[width];
    for (int c = 0; c < width; ++c) {
      known[c] = x[column + c];
      for (int r = c + 1; r < width; ++r) x[column + r] -= of.value[c][r - c - 1] * known[c];
    }
    for (int i = 0; i < of.rows; ++i) {
      double sum = 0;
      for (int c = 0; c < width; ++c) sum += of.value[c][width - 1 - c + i] * known[c];
      x[of.row[i]] -= sum;
    }
  }
  template <int width>
  void back(int column, double* x) const {
    const group<width> of = at<width>(column);
    double sum[width]{};
    for (int i = 0; i < of.rows; ++i) {
      const double known = x[of.row[i]];
      for (int c = 0; c < width; ++c) sum[c] += of.value[c][width - 1 - c + i] * known;
    }
    for (int c = width - 1; c >= 0; --c) {
      for (int r = c + 1; r < width; ++r) sum[c] += of.value[c][r - c - 1] * x[column + r];
      x[column + c] -= sum[c];
    }
  }
};

std::vector<int> group_columns(const Eigen::SparseMatrix<double>& l) {
  const int* const begin = l.outerIndexPtr();
  const int size = static_cast<int>(l.cols());
  const auto has_rows_of_the_next = [&](int j) {  // fill-in includes these rows in column j + 1: compare the counts only
    return begin[j + 1] > begin[j] && l.innerIndexPtr()[begin[j]] == j + 1 &&
           begin[j + 2] - begin[j + 1] == begin[j + 1] - begin[j] - 1;
  };
  std::vector<int> first{0};
  for (int j = 1; j < size; ++j)
    if (j - first.back() == 4 || !has_rows_of_the_next(j - 1)) first.push_back(j);
  first.push_back(size);
  return first;
}

// x = (L D L^T)^-1 x
void substitute(const grouped_factor& l, const Eigen::VectorXd& d, Eigen::VectorXd& x) {
  const auto groups = static_cast<std::ptrdiff_t>(l.first_column.size()) - 1;
  const auto visit = [&](std::ptrdiff_t g, auto&& work) {
    const int column = l.first_column[static_cast<std::size_t>(g)];
    switch (l.first_column[static_cast<std::size_t>(g) + 1] - column) {
      case 1:
        return work.template operator()<1>(column);
      case 2:
        return work.template operator()<2>(column);
      case 3:
        return work.template operator()<3>(column);
      default:
        return work.template operator()<4>(column);
    }
  };
  for (std::ptrdiff_t g = 0; g < groups; ++g) visit(g, [&]<int width>(int column) { l.forth<width>(column, x.data()); });
  x.array() /= d.array();
  for (std::ptrdiff_t g = groups; g-- > 0;) visit(g, [&]<int width>(int column) { l.back<width>(column, x.data()); });
}

}  // namespace

struct coarsest_solver::root {
  std::vector<std::int32_t> owned_node, any_node;  // global position of each value's node, in rank order
  std::vector<Eigen::Index> unknown;               // unknown of each global degree of freedom; -1 without stiffness
  Eigen::Index unknowns = 0;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor;
  std::vector<int> first_column;  // first column of each group of the factor, and the end
};

coarsest_solver::coarsest_solver(MPI_Comm comm, const brick_mesh& mesh, const brick_matrices& matrices,
                                 const grid::shared_nodes& shared)
    : comm_(comm), nodes_(mesh.node_id.size()) {
  const std::vector<std::int64_t>& ids = mesh.node_id;
  std::vector<std::int64_t> owned_ids;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (!std::binary_search(shared.not_owned().begin(), shared.not_owned().end(), static_cast<std::int32_t>(i))) {
      owned_.push_back(static_cast<std::int32_t>(i));
      owned_ids.push_back(ids[i]);
    }
  owned_counts_ = counts_of(comm, owned_.size());
  all_counts_ = counts_of(comm, ids.size());
  const std::vector<int> owned_nodes = owned_counts_, all_nodes = all_counts_;
  for (auto* counts : {&owned_counts_, &all_counts_})  // convert nodes to values: 4 per node
    for (int& n : *counts) n *= 4;
  if (!comm::has_values(comm)) return;

  std::vector<std::int64_t> corners;  // ids, 8 per brick
  std::vector<double> stiffness;      // 300 per brick
  for (std::size_t e = 0; e < mesh.corners.size(); ++e) {
    for (const std::int32_t node : mesh.corners[e]) corners.push_back(ids[static_cast<std::size_t>(node)]);
    const auto matrix = matrices.of(matrices.matrix[e]).value;
    stiffness.insert(stiffness.end(), matrix.begin(), matrix.end());
  }

  const auto all_owned = gather(comm, owned_ids, owned_nodes);
  const auto all_ids = gather(comm, ids, all_nodes);
  const auto all_corners = gather(comm, corners, counts_of(comm, corners.size()));
  const auto all_stiffness = gather(comm, stiffness, counts_of(comm, stiffness.size()));

  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    root_ = std::make_unique<root>();
    std::vector<std::int64_t> sorted = all_owned;
    std::sort(sorted.begin(), sorted.end());
    const auto place = [&](std::int64_t id) {
      return static_cast<std::int32_t>(std::lower_bound(sorted.begin(), sorted.end(), id) - sorted.begin());
    };
    for (const std::int64_t id : all_owned) root_->owned_node.push_back(place(id));
    for (const std::int64_t id : all_ids) root_->any_node.push_back(place(id));

    // Indices of a brick's 24 values, and its matrix.
    std::array<std::size_t, 24> at{};
    const auto brick = [&](std::size_t e) {
      for (std::size_t i = 0; i < 24; ++i) at[i] = 3 * static_cast<std::size_t>(place(all_corners[8 * e + i / 3])) + i % 3;
      return all_stiffness.data() + 300 * e;
    };
    const std::size_t bricks = all_corners.size() / 8;
    std::vector<double> diagonal(3 * sorted.size());
    for (std::size_t e = 0; e < bricks; ++e) {
      const double* k = brick(e);
      for (std::size_t i = 0; i < 24; ++i) diagonal[at[i]] += k[kernel::symmetric24::place(i, i)];
    }
    for (const double d : diagonal) root_->unknown.push_back(d > 0 ? root_->unknowns++ : -1);
    if (root_->unknowns == 0) return;

    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t e = 0; e < bricks; ++e) {
      const double* k = brick(e);
      for (std::size_t i = 0; i < 24; ++i)
        for (std::size_t j = 0; j < 24; ++j)
          if (root_->unknown[at[i]] >= 0 && root_->unknown[at[j]] >= 0)
            entries.emplace_back(root_->unknown[at[i]], root_->unknown[at[j]], k[kernel::symmetric24::place(i, j)]);
    }
    Eigen::SparseMatrix<double> matrix(root_->unknowns, root_->unknowns);
    matrix.setFromTriplets(entries.begin(), entries.end());
    root_->factor.compute(matrix);
    if (root_->factor.info() != Eigen::Success || !(root_->factor.vectorD().array() > 0).all())
      throw solve_error(
          "the stiffness matrix of the coarsest level is not positive definite; check Young's moduli and the voxel size");
    root_->first_column = group_columns(root_->factor.matrixL().nestedExpression());
  });
}

coarsest_solver::~coarsest_solver() = default;

void coarsest_solver::solve(const float* b, float* x) const {
  const bool has_values = comm::has_values(comm_);
  std::vector<float> mine;
  if (has_values)
    for (const std::int32_t node : owned_)
      mine.insert(mine.end(), b + 4 * static_cast<std::int64_t>(node), b + 4 * static_cast<std::int64_t>(node) + 4);
  const std::vector<float> all = [&] {
    const auto counted = comm::counted_call::gather(comm_, "coarsest level to rank 0", owned_counts_,
                                                    static_cast<int>(4 * owned_.size()), sizeof(float));
    return has_values ? gather(comm_, mine, owned_counts_) : std::vector<float>();
  }();
  std::vector<float> answer;
  if (root_) {
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(root_->unknowns);
    for (std::size_t i = 0; i < root_->owned_node.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        if (const auto u = root_->unknown[3 * static_cast<std::size_t>(root_->owned_node[i]) + c]; u >= 0)
          rhs[u] = all[4 * i + c];
    Eigen::VectorXd solution = rhs;
    if (const auto& factor = root_->factor; root_->unknowns > 0) {
      solution = factor.permutationP() * rhs;
      substitute({factor.matrixL().nestedExpression(), root_->first_column}, factor.vectorD(), solution);
      solution = factor.permutationPinv() * solution;
    }
    answer.assign(4 * root_->any_node.size(), 0.0F);
    for (std::size_t i = 0; i < root_->any_node.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        if (const auto u = root_->unknown[3 * static_cast<std::size_t>(root_->any_node[i]) + c]; u >= 0)
          answer[4 * i + c] = static_cast<float>(solution[u]);
  }
  const int values = static_cast<int>(4 * nodes_);
  const auto counted = comm::counted_call::scatter(comm_, "coarsest level from rank 0", all_counts_, values, sizeof(float));
  if (has_values) comm::scatter_values(comm_, answer.data(), all_counts_, comm::offsets_of(all_counts_), x, values);
}

}  // namespace osteon::numerics
