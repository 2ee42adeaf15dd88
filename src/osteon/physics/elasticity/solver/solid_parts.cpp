#include <osteon/physics/elasticity/solver/solid_parts.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <osteon/base/at.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/voxel/components.hpp>
#include <set>

namespace osteon::physics {

namespace {

// Index of the run that contains a point.
std::size_t run_of(std::span<const voxel::run> runs, std::int32_t point) {
  const auto after = std::upper_bound(runs.begin(), runs.end(), point,
                                      [](std::int32_t number, const voxel::run& r) { return number < r.first; });
  return static_cast<std::size_t>(after - runs.begin()) - 1;
}

}  // namespace

solid_parts::solid_parts(const grid::block& where, const voxel::run_set& cells, const voxel::run_set& nodes,
                         const std::array<bool, 3>& periodic)
    : comm_(where.comm),
      begin_(where.owned.begin),
      cells_(cells),
      nodes_(nodes),
      shared_(grid::share_nodes(where, nodes, periodic)) {
  number_parts();
  if (count_ > 1) find_meetings();
}

// Number the parts of each rank. Unite parts that are connected by faces between ranks or by periodic faces.
void solid_parts::number_parts() {
  const voxel::components own = voxel::find_components(cells_);
  auto total = static_cast<std::int64_t>(own.parts.size());
  const std::int64_t before = comm::exclusive_sum_over_ranks(comm_, total);
  comm::all_reduce(comm_, &total, 1, MPI_SUM);
  std::vector<std::int64_t> label_of_run(own.part_of_run.size());
  for (std::size_t r = 0; r < label_of_run.size(); ++r) label_of_run[r] = before + own.part_of_run[r];
  find_corners(label_of_run);

  std::set<std::array<std::int64_t, 2>> faces;
  for (const auto& corners : corners_of_shared_)
    for (std::size_t a = 0; a < 8; ++a)
      for (const std::size_t bit : {1U, 2U, 4U})
        if (const std::int64_t p = corners[a], q = corners[a ^ bit]; p >= 0 && q > p) faces.insert({p, q});
  const std::vector<std::array<std::int64_t, 2>> mine(faces.begin(), faces.end());
  disjoint_sets_of<std::int64_t> sets(at(total));
  for (const auto& [p, q] : comm::gather_to_all(comm_, mine).values) sets.unite(p, q);
  const std::vector<std::int64_t> number = sets.number([&](std::int64_t) { ++count_; });
  part_of_run_.resize(label_of_run.size());
  for (std::size_t r = 0; r < label_of_run.size(); ++r)
    part_of_run_[r] = static_cast<std::int32_t>(number[at(label_of_run[r])]);
  for (auto& corners : corners_of_shared_)
    for (std::int64_t& p : corners)
      if (p >= 0) p = number[at(p)];
}

// Labels of the cells around each shared node, by the corner of the node in the cell.
void solid_parts::find_corners(const std::vector<std::int64_t>& label_of_run) {
  const auto copies = shared_.with_copies();
  shared_list_.assign(copies.begin(), copies.end());
  std::sort(shared_list_.begin(), shared_list_.end());
  const int any = comm::max_over_ranks(comm_, !shared_list_.empty());
  if (any == 0) return;
  corners_of_shared_.resize(shared_list_.size());
  std::vector<double> value(at(nodes_.size()));
  for (std::size_t a = 0; a < 8; ++a) {
    for (const std::int32_t node : shared_list_) {
      const voxel::run& r = nodes_.runs()[run_of(nodes_.runs(), node)];
      const std::int32_t cell = cells_.find(r.z - static_cast<int>(a >> 2 & 1), r.y - static_cast<int>(a >> 1 & 1),
                                            r.x + node - r.first - static_cast<int>(a & 1));
      // A cell belongs to one rank. The sum over the copies is therefore the label of the cell. Labels are less than 2^53
      // and exact in double precision.
      value[at(node)] = cell < 0 ? 0.0 : static_cast<double>(label_of_run[run_of(cells_.runs(), cell)] + 1);
    }
    shared_.exchange_add(value.data(), {1, 1, 1});
    for (std::size_t s = 0; s < shared_list_.size(); ++s)
      corners_of_shared_[s][a] = static_cast<std::int64_t>(value[at(shared_list_[s])]) - 1;
  }
}

// Call f(run of cells, first node, number of nodes) for the four rows of nodes of each run.
template <class F>
void solid_parts::for_each_row_of_nodes(F&& f) const {
  const auto runs = cells_.runs();
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (int row = 0; row < 4; ++row)
      f(r, nodes_.find(runs[r].z + row / 2, runs[r].y + row % 2, runs[r].x), runs[r].length + 1);
}

void solid_parts::find_meetings() {
  part_of_node_.assign(at(nodes_.size()), -1);
  std::map<std::int32_t, std::set<std::int32_t>> several;
  const auto meets = [&](std::int32_t node, std::int32_t part) {
    std::int32_t& first = part_of_node_[at(node)];
    if (first < 0) first = part;
    if (first != part) several[node].insert({first, part});
  };
  for_each_row_of_nodes([&](std::size_t run, std::int32_t first, std::int32_t count) {
    for (std::int32_t node = first; node < first + count; ++node) meets(node, part_of_run_[run]);
  });
  for (std::size_t s = 0; s < shared_list_.size(); ++s)
    for (const std::int64_t part : corners_of_shared_[s])
      if (part >= 0) meets(shared_list_[s], static_cast<std::int32_t>(part));
  for (const auto& [node, parts] : several) meetings_.push_back({node, place(node), {parts.begin(), parts.end()}});
}

std::span<const std::int32_t> solid_parts::at_node(std::int32_t node) const {
  static constexpr std::int32_t only = 0;
  if (part_of_node_.empty()) return {&only, 1};
  const auto found = std::lower_bound(meetings_.begin(), meetings_.end(), node,
                                      [](const meeting_node& m, std::int32_t n) { return m.node < n; });
  if (found != meetings_.end() && found->node == node) return found->parts;
  return {&part_of_node_[at(node)], 1};
}

bool solid_parts::owns(std::int32_t node) const {
  const auto copies = shared_.not_owned();
  return !std::binary_search(copies.begin(), copies.end(), node);
}

index3 solid_parts::place(std::int32_t node) const {
  const voxel::run& r = nodes_.runs()[run_of(nodes_.runs(), node)];
  return begin_ + index3{r.z, r.y, r.x + node - r.first};
}

std::vector<std::int64_t> solid_parts::voxels() const {
  std::vector<std::int64_t> voxels(at(count_));
  for (std::size_t r = 0; r < part_of_run_.size(); ++r) voxels[at(part_of_run_[r])] += cells_.runs()[r].length;
  comm::all_reduce(comm_, voxels.data(), count_, MPI_SUM);
  return voxels;
}

std::vector<std::array<std::int64_t, 6>> solid_parts::bounds() const {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::vector<std::array<std::int64_t, 6>> bounds(at(count_), {none, none, none, none, none, none});
  for (std::size_t r = 0; r < part_of_run_.size(); ++r) {
    const voxel::run& own = cells_.runs()[r];
    const index3 low = begin_ + index3{own.z, own.y, own.x}, high = low + index3{1, 1, own.length};
    for (int a = 0; a < 3; ++a) {
      auto& b = bounds[at(part_of_run_[r])];
      b[at(a)] = std::min(b[at(a)], low[a]);
      b[at(3 + a)] = std::min(b[at(3 + a)], -high[a]);
    }
  }
  comm::all_reduce(comm_, bounds.empty() ? nullptr : bounds.front().data(), at(6 * count_), MPI_MIN);
  for (auto& b : bounds)
    for (std::size_t a = 3; a < 6; ++a) b[a] = -b[a];
  return bounds;
}

}  // namespace osteon::physics
