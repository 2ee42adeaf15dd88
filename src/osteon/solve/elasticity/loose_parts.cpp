#include <osteon/comm/offsets.hpp>
#include <osteon/solve/elasticity/loose_parts.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/voxel/components.hpp>
#include <osteon/voxel/node_set.hpp>
#include <set>
#include <tuple>

namespace osteon::solve {

namespace {

using label = std::int64_t;

/// The parts that meet in a node.
struct joint {
  vector3 at_mm;
  std::vector<label> parts;
  bool counted = false;
};

class part_finder {
 public:
  explicit part_finder(const elasticity_problem& problem)
      : problem_(problem),
        comm_(problem.where.comm),
        grid_{&problem.cells, &problem.nodes, problem.where.owned.begin, problem.spacing_mm, {}},
        shared_(grid::share_nodes(problem.where, problem.nodes, problem.periodic)) {}

  loose_parts run() {
    label_cells();
    loose_parts result;
    result.parts = part_count_;
    result.is_loose.assign(part_of_cell_.size(), 0);
    if (part_count_ <= 1) return result;  // the solver names the motions that are left to a single part
    measure_parts();
    gather_constraints();
    hold_parts();
    describe(result);
    return result;
  }

 private:
  // Number the parts over all ranks: those of each rank first, then joined where cells of two ranks have a face in common.
  void label_cells() {
    const voxel::components own = voxel::find_components(problem_.cells);
    auto count = static_cast<label>(own.parts.size());
    label before = 0, total = 0;
    MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, comm_);
    MPI_Allreduce(&count, &total, 1, MPI_INT64_T, MPI_SUM, comm_);
    if (comm::rank(comm_) == 0) before = 0;
    part_of_cell_.resize(static_cast<std::size_t>(problem_.cells.size()));
    const auto runs = problem_.cells.runs();
    for (std::size_t r = 0; r < runs.size(); ++r)
      std::fill_n(part_of_cell_.begin() + runs[r].first, runs[r].length, before + own.part_of_run[r]);
    exchange_corners();

    std::set<std::pair<label, label>> faces;
    for (const auto& corners : corners_of_shared_)
      for (std::size_t a = 0; a < 8; ++a)
        for (const std::size_t bit : {1U, 2U, 4U})
          if (const label p = corners[a], q = corners[a ^ bit]; p >= 0 && q > p) faces.insert({p, q});
    std::vector<label> mine;
    for (const auto& [p, q] : faces) mine.insert(mine.end(), {p, q});
    const std::vector<label> all = gather(mine);
    disjoint_sets_of<label> sets(index(total));
    for (std::size_t i = 0; i < all.size(); i += 2) sets.unite(all[i], all[i + 1]);
    const std::vector<label> number = sets.number([&](label) { ++part_count_; });
    for (label& p : part_of_cell_) p = number[index(p)];
    for (auto& corners : corners_of_shared_)
      for (label& p : corners)
        if (p >= 0) p = number[index(p)];
  }

  // The parts of the cells around each node that ranks share, by the corner that the node is to the cell.
  void exchange_corners() {
    const auto nodes = static_cast<std::size_t>(problem_.nodes.size());
    std::vector<double> value(nodes, 1.0);
    shared_.exchange_add(value.data(), {1, 1, 1});
    for (std::size_t n = 0; n < nodes; ++n)
      if (value[n] > 1) shared_list_.push_back(static_cast<std::int32_t>(n));
    corners_of_shared_.resize(shared_list_.size());
    for (std::size_t a = 0; a < 8; ++a) {
      std::fill(value.begin(), value.end(), 0.0);
      voxel::for_each_cell(grid_, [&](std::int32_t cell, const std::array<std::int32_t, 8>& corners) {
        value[index(corners[a])] = static_cast<double>(part_of_cell_[index(cell)] + 1);
      });
      shared_.exchange_add(value.data(), {1, 1, 1});  // a cell has one rank, so this is its part
      for (std::size_t s = 0; s < shared_list_.size(); ++s)
        corners_of_shared_[s][a] = static_cast<label>(value[index(shared_list_[s])]) - 1;
    }
  }

  void measure_parts() {
    // Voxels; lowest corner, negative highest corner.
    voxels_.assign(index(part_count_), 0);
    bounds_.assign(6 * index(part_count_), std::numeric_limits<double>::infinity());
    for (const voxel::run& r : problem_.cells.runs()) {
      const std::size_t p = index(part_of_cell_[index(r.first)]);
      voxels_[p] += r.length;
      const index3 first = grid_.begin + index3{r.z, r.y, r.x};
      const vector3 low = grid_.position_mm(first), high = grid_.position_mm(first + index3{1, 1, r.length});
      for (int a = 0; a < 3; ++a) {
        const auto at = 6 * p + static_cast<std::size_t>(a);
        bounds_[at] = std::min(bounds_[at], low[a]);
        bounds_[at + 3] = std::min(bounds_[at + 3], -high[a]);
      }
    }
    MPI_Allreduce(MPI_IN_PLACE, voxels_.data(), static_cast<int>(voxels_.size()), MPI_INT64_T, MPI_SUM, comm_);
    MPI_Allreduce(MPI_IN_PLACE, bounds_.data(), static_cast<int>(bounds_.size()), MPI_DOUBLE, MPI_MIN, comm_);
  }

  // The supports of each part, and the nodes where parts meet; every node once over the ranks.
  void gather_constraints() {
    gram_.assign(21 * index(part_count_), 0.0);
    const auto nodes = static_cast<std::size_t>(problem_.nodes.size());
    std::vector<label> first(nodes, -1);
    std::map<std::int32_t, std::set<label>> several;
    const auto meets = [&](std::int32_t node, label part) {
      if (first[index(node)] < 0)
        first[index(node)] = part;
      else if (first[index(node)] != part)
        several[node].insert({first[index(node)], part});
    };
    voxel::for_each_cell(grid_, [&](std::int32_t cell, const std::array<std::int32_t, 8>& corners) {
      for (const std::int32_t node : corners) meets(node, part_of_cell_[index(cell)]);
    });
    for (std::size_t s = 0; s < shared_list_.size(); ++s)
      for (const label part : corners_of_shared_[s])
        if (part >= 0) meets(shared_list_[s], part);
    const auto copies = shared_.not_owned();
    const auto owned = [&](std::int32_t node) { return !std::binary_search(copies.begin(), copies.end(), node); };
    for (const auto& [node, parts] : several)
      if (owned(node)) joints_.push_back({grid_.position_mm(grid_.place(node)), {parts.begin(), parts.end()}, false});
    for (const prescribed_displacement& p : problem_.fixed) {
      if (!owned(p.node)) continue;
      const vector3 at = grid_.position_mm(grid_.place(p.node));
      const int a = static_cast<int>(p.direction);
      if (const auto found = several.find(p.node); found != several.end())
        for (const label part : found->second) constrain(part, at, a);
      else
        constrain(first[index(p.node)], at, a);
    }
  }

  // A displacement along an axis at a point of the part is prescribed: add the square of its rigid motions there.
  void constrain(label part, const vector3& at, int along) {
    const double* bounds = &bounds_[6 * index(part)];
    double arm[3], size = 0;
    for (std::size_t a = 0; a < 3; ++a) size = std::max(size, -bounds[3 + a] - bounds[a]);
    for (std::size_t a = 0; a < 3; ++a) arm[a] = (at[static_cast<int>(a)] - (bounds[a] - bounds[3 + a]) / 2) / size;
    double motion[6] = {};
    motion[along] = 1;
    const int next = (along + 1) % 3, third = (along + 2) % 3;
    motion[3 + next] = arm[third];
    motion[3 + third] = -arm[next];
    double* gram = &gram_[21 * index(part)];
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j <= i; ++j) *gram++ += motion[i] * motion[j];
  }

  static bool has_full_rank(const double* gram) {
    Eigen::Matrix<double, 6, 6> m;
    for (Eigen::Index i = 0; i < 6; ++i)
      for (Eigen::Index j = 0; j <= i; ++j) m(i, j) = m(j, i) = *gram++;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> spectrum(m, Eigen::EigenvaluesOnly);
    return spectrum.eigenvalues()[0] > 1e-9 * spectrum.eigenvalues()[5];
  }

  // Parts that are held hold those that they meet.
  void hold_parts() {
    is_held_.assign(index(part_count_), 0);
    const bool is_periodic = problem_.periodic != std::array<bool, 3>{};
    const auto largest = std::max_element(voxels_.begin(), voxels_.end()) - voxels_.begin();
    for (bool changed = true; changed;) {
      std::vector<double> total(gram_.size());
      MPI_Allreduce(gram_.data(), total.data(), static_cast<int>(total.size()), MPI_DOUBLE, MPI_SUM, comm_);
      changed = false;
      for (std::size_t p = 0; p < is_held_.size(); ++p) {
        const bool is_body = is_periodic && static_cast<std::ptrdiff_t>(p) == largest;
        if (!is_held_[p] && (is_body || has_full_rank(&total[21 * p]))) {
          is_held_[p] = 1;
          changed = true;
        }
      }
      for (joint& j : joints_) {
        if (j.counted || std::none_of(j.parts.begin(), j.parts.end(), [&](label p) { return is_held_[index(p)]; })) continue;
        j.counted = true;
        for (const label p : j.parts)
          for (int a = 0; a < 3; ++a) constrain(p, j.at_mm, a);
      }
    }
  }

  void describe(loose_parts& result) const {
    std::vector<int> meets_another(is_held_.size());
    for (const joint& j : joints_)
      for (const label p : j.parts) meets_another[index(p)] = 1;
    MPI_Allreduce(MPI_IN_PLACE, meets_another.data(), static_cast<int>(meets_another.size()), MPI_INT, MPI_MAX, comm_);
    for (std::size_t p = 0; p < is_held_.size(); ++p) {
      if (is_held_[p]) continue;
      ++result.loose;
      result.hanging += meets_another[p];
      result.voxels += voxels_[p];
      const double* b = &bounds_[6 * p];
      const vector3& low = result.largest_low_mm;  // decides among equals, since the order of the parts depends on the ranks
      if (std::tuple(-voxels_[p], b[0], b[1], b[2]) >= std::tuple(-result.largest_voxels, low.z, low.y, low.x)) continue;
      result.largest_voxels = voxels_[p];
      result.largest_low_mm = {b[0], b[1], b[2]};
      result.largest_high_mm = {-b[3], -b[4], -b[5]};
    }
    for (std::size_t c = 0; c < part_of_cell_.size(); ++c) result.is_loose[c] = !is_held_[index(part_of_cell_[c])];
  }

  std::vector<label> gather(const std::vector<label>& mine) const {
    std::vector<int> counts(static_cast<std::size_t>(comm::size(comm_)));
    const int count = static_cast<int>(mine.size());
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
    const std::vector<int> begins = comm::offsets_of(counts);
    std::vector<label> all(static_cast<std::size_t>(begins.back() + counts.back()));
    MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), begins.data(), MPI_INT64_T, comm_);
    return all;
  }

  static std::size_t index(label i) { return static_cast<std::size_t>(i); }

  const elasticity_problem& problem_;
  MPI_Comm comm_;
  voxel::node_grid grid_;
  grid::shared_nodes shared_;
  label part_count_ = 0;
  std::vector<label> part_of_cell_;
  std::vector<std::int32_t> shared_list_;                // nodes that other ranks have, too
  std::vector<std::array<label, 8>> corners_of_shared_;  // -1 where there is no cell
  std::vector<std::int64_t> voxels_;
  std::vector<double> bounds_;  // shape (parts, 6)
  std::vector<double> gram_;    // lower triangles, shape (parts, 21); this rank's constraints
  std::vector<joint> joints_;
  std::vector<std::uint8_t> is_held_;
};

}  // namespace

loose_parts find_loose_parts(const elasticity_problem& problem) { return part_finder(problem).run(); }

}  // namespace osteon::solve
