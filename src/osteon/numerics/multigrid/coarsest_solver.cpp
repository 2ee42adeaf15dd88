#include <osteon/numerics/multigrid/elasticity_multigrid.hpp>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <numeric>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/exchange_lists.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/numerics/multigrid/elasticity_cycle.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::numerics {

namespace {

constexpr int setup_tag = 600, gather_tag = 700, scatter_tag = 800;
constexpr std::size_t bytes_of_node = 4 * sizeof(float);

// The factor L of a factorisation L D L^T, strictly lower, without the unit diagonal. Up to four adjacent columns with equal
// rows form a group; the substitution reads and writes each row once per group. The substitution is serial, and other ranks
// and threads wait for its end.
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
  const auto has_rows_of_the_next = [&](int j) {  // fill-in includes these rows in column j + 1; a comparison of the counts
                                                  // is sufficient
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

struct coarsest_solver::factorisation {
  std::vector<std::int32_t> owned_node, any_node;  // number of each value's node in the level, rank after rank
  std::vector<Eigen::Index> unknown;               // unknown of each global degree of freedom; -1 for a degree of freedom
                                                   // without stiffness
  Eigen::Index unknowns = 0;
  std::optional<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>> factor;
  std::vector<int> first_column;  // first column of each group of the factor, and the end

  Eigen::VectorXd solve(const Eigen::VectorXd& rhs) const {
    Eigen::VectorXd solution = factor->permutationP() * rhs;
    substitute({factor->matrixL().nestedExpression(), first_column}, factor->vectorD(), solution);
    return factor->permutationPinv() * solution;
  }
  // Call visit(place among the values, unknown) for the values of nodes.
  template <class Visit>
  void for_each_unknown(const std::vector<std::int32_t>& nodes, Visit visit) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        if (const auto u = unknown[3 * at(nodes[i]) + c]; u >= 0) visit(4 * i + c, u);
  }
};

coarsest_solver::coarsest_solver(MPI_Comm comm, const brick_mesh& mesh, const brick_matrices& matrices,
                                 const grid::shared_nodes& shared, int holders)
    : comm_(comm), has_rows_(holders >= elasticity_cycle::fewest_ranks_of_inverse) {
  const std::vector<std::int64_t>& ids = mesh.node_id;
  std::vector<std::int32_t> owned;
  std::vector<std::int64_t> owned_ids;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (!std::binary_search(shared.not_owned().begin(), shared.not_owned().end(), static_cast<std::int32_t>(i))) {
      owned.push_back(static_cast<std::int32_t>(i));
      owned_ids.push_back(ids[i]);
    }
  const int own = comm::rank(comm), receivers = has_rows_ ? holders : 1;
  const bool is_holder = own < holders, gathers = own < receivers;
  std::vector<int> to(is_holder ? static_cast<std::size_t>(receivers) : 0),
      from(gathers ? static_cast<std::size_t>(holders) : 0);
  std::iota(to.begin(), to.end(), 0);
  std::iota(from.begin(), from.end(), 0);
  const auto gathered = [&](const std::string& list_name, const auto& list) {
    return comm::exchange_lists(comm, setup_tag, {list_name + ": sizes", list_name}, to, from, list);
  };
  const std::string name = has_rows_ ? "coarsest level to all its ranks" : "coarsest level to rank 0";
  const auto owned_of = gathered(name + ": set up of owned nodes", owned_ids);
  plan::neighbour_part gather{name, {}, {}, plan::arrival::place};
  plan::neighbour_part scatter{"coarsest level from rank 0", {}, {}, plan::arrival::place};
  for (int r = 0; is_holder && r < receivers; ++r) gather.sends.push_back({.peer = r, .list = owned});
  std::vector<std::int64_t> all_owned, all_ids;  // rank after rank
  const auto append = [](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& list) {
    to.insert(to.end(), list.begin(), list.end());
    return plan::span{std::ssize(to) - std::ssize(list), std::ssize(to)};
  };
  for (std::size_t r = 0; r < owned_of.size(); ++r)
    gather.receives.push_back({.peer = static_cast<int>(r), .run = append(all_owned, owned_of[r])});
  if (has_rows_) {
    all_ids = ids;
  } else {
    const auto ids_of = gathered(name + ": set up of nodes", ids);
    for (std::size_t r = 0; r < ids_of.size(); ++r)
      scatter.sends.push_back({.peer = static_cast<int>(r), .run = append(all_ids, ids_of[r])});
    if (is_holder) scatter.receives.push_back({.peer = 0, .run = {0, std::ssize(ids)}});
  }
  gather_ = comm::neighbours(comm, gather_tag, std::move(gather));
  scatter_ = comm::neighbours(comm, scatter_tag, std::move(scatter));
  if (!comm::has_values(comm)) return;

  std::vector<std::int64_t> corners;  // ids, 8 per brick
  std::vector<double> stiffness;      // 300 per brick
  for (std::size_t e = 0; e < mesh.corners.size(); ++e) {
    for (const std::int32_t node : mesh.corners[e]) corners.push_back(ids[static_cast<std::size_t>(node)]);
    const auto matrix = matrices.of(matrices.matrix[e]).value;
    stiffness.insert(stiffness.end(), matrix.begin(), matrix.end());
  }
  std::vector<std::int64_t> all_corners;
  std::vector<double> all_stiffness;
  {
    const comm::without_counts uncounted(comm);
    for (const auto& list : gathered("bricks", corners)) all_corners.insert(all_corners.end(), list.begin(), list.end());
    for (const auto& list : gathered("matrices", stiffness))
      all_stiffness.insert(all_stiffness.end(), list.begin(), list.end());
  }

  comm::collectively(comm, [&] {
    if (!gathers) return;
    root_ = std::make_unique<factorisation>();
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
    root_->factor.emplace(matrix);
    if (root_->factor->info() != Eigen::Success || !(root_->factor->vectorD().array() > 0).all())
      throw solve_error(
          "the stiffness matrix of the coarsest level is not positive definite; check Young's moduli and the voxel size");
    root_->first_column = group_columns(root_->factor->matrixL().nestedExpression());
    if (!has_rows_) return;
    rows_.reserve(3 * root_->any_node.size() * static_cast<std::size_t>(root_->unknowns));
    root_->for_each_unknown(root_->any_node, [&](std::size_t, Eigen::Index u) {
      const Eigen::VectorXd row = root_->solve(Eigen::VectorXd::Unit(root_->unknowns, u));  // A is symmetric
      for (const double value : row) rows_.push_back(static_cast<float>(value));
    });
    root_->factor.reset();
  });
}

coarsest_solver::~coarsest_solver() = default;

// Sums are in double precision, because the terms of a sum may be much larger than the sum.
void coarsest_solver::multiply_rows(const std::vector<float>& all, float* x) const {
  const auto n = at(root_->unknowns);
  std::vector<double> rhs(n);
  root_->for_each_unknown(root_->owned_node, [&](std::size_t value, Eigen::Index u) { rhs[at(u)] = all[value]; });
  const float* row = rows_.data();
  root_->for_each_unknown(root_->any_node, [&](std::size_t value, Eigen::Index) {
    double part[8]{};  // several partial sums allow vectorisation
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
      for (std::size_t k = 0; k < 8; ++k) part[k] += static_cast<double>(row[i + k]) * rhs[i + k];
    for (; i < n; ++i) part[0] += static_cast<double>(row[i]) * rhs[i];
    x[value] = static_cast<float>(((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])));
    row += n;
  });
}

void coarsest_solver::solve(const float* b, float* x) {
  if (!comm::has_values(comm_)) {
    gather_.count_messages(bytes_of_node);
    if (!has_rows_) scatter_.count_messages(bytes_of_node);
    return;
  }
  std::vector<float> all(root_ ? 4 * root_->owned_node.size() : 0), answer;
  gather_.begin(b, bytes_of_node);
  gather_.end(all.data());
  if (root_) {
    answer.assign(4 * root_->any_node.size(), 0.0F);
    if (has_rows_) {
      multiply_rows(all, answer.data());
    } else if (root_->unknowns > 0) {
      Eigen::VectorXd rhs = Eigen::VectorXd::Zero(root_->unknowns);
      root_->for_each_unknown(root_->owned_node, [&](std::size_t value, Eigen::Index u) { rhs[u] = all[value]; });
      const Eigen::VectorXd solution = root_->solve(rhs);
      root_->for_each_unknown(root_->any_node,
                              [&](std::size_t value, Eigen::Index u) { answer[value] = static_cast<float>(solution[u]); });
    }
  }
  if (has_rows_) {
    std::copy(answer.begin(), answer.end(), x);
  } else {
    scatter_.begin(answer.data(), bytes_of_node);
    scatter_.end(x);
  }
}

}  // namespace osteon::numerics
