#include <osteon/grid/block.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::grid {

namespace {

// Assign planes to ranks. No rank gets more than `limit` active voxels, and every rank gets at least one plane. Return the
// first plane of each rank, or an empty vector if `limit` is too small.
std::vector<std::int64_t> assign_planes(std::span<const std::int64_t> weight, int ranks, std::int64_t limit) {
  const auto planes = static_cast<std::int64_t>(weight.size());
  std::vector<std::int64_t> first{0};
  std::int64_t plane = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t last = planes - (ranks - rank - 1);  // each later rank needs at least one plane
    std::int64_t sum = 0;
    const std::int64_t begin = plane;
    while (plane < last && (plane == begin || sum + weight[static_cast<std::size_t>(plane)] <= limit))
      sum += weight[static_cast<std::size_t>(plane++)];
    if (sum > limit) return {};
    first.push_back(plane);
  }
  if (plane != planes) return {};
  return first;
}

}  // namespace

std::string too_many_ranks(std::int64_t ranks, std::int64_t planes) {
  return fmt::format("{} for an image of {}: each rank needs at least one plane; use at most {} (and more threads per rank)",
                     counted(ranks, "rank"), counted(planes, "z plane"), counted(planes, "rank"));
}

std::vector<std::int64_t> balance_planes(std::span<const std::int64_t> active_per_plane, int ranks) {
  const auto planes = static_cast<std::int64_t>(active_per_plane.size());
  if (ranks > planes) throw usage_error(too_many_ranks(ranks, planes));
  std::int64_t low = 0, high = std::accumulate(active_per_plane.begin(), active_per_plane.end(), std::int64_t{0});
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (assign_planes(active_per_plane, ranks, middle).empty())
      low = middle + 1;
    else
      high = middle;
  }
  return assign_planes(active_per_plane, ranks, high);
}

block make_block(MPI_Comm comm, index3 domain, std::span<const std::int64_t> active_per_plane) {
  if (static_cast<std::int64_t>(active_per_plane.size()) != domain.z)
    throw usage_error(fmt::format("{} counts of active voxels for {} z planes; pass one count per plane",
                                  active_per_plane.size(), domain.z));
  return make_block(comm, box_tree::of_planes(domain, balance_planes(active_per_plane, comm::size(comm))));
}

block make_block(MPI_Comm comm, box_tree boxes) {
  const int rank = comm::rank(comm);
  block result{.comm = comm, .domain = boxes.domain(), .owned = boxes.box_of(rank)};
  if (boxes.is_planes()) {
    if (rank > 0) result.below = rank - 1;
    if (rank + 1 < boxes.ranks()) result.above = rank + 1;
  }
  result.boxes = std::make_shared<const box_tree>(std::move(boxes));
  return result;
}

namespace {

// Groups with boxes that are adjacent to a given box. Before the comparison, all boxes are extended to aligned bricks of
// 2^level voxels.
void append_adjacent(const box_tree& boxes, const box3& owned, int level, const std::array<bool, 3>& periodic,
                     const std::function<int(int rank)>& group_of, std::vector<int>& groups) {
  if (owned.empty()) return;
  // The box is extended to complete bricks, and by one brick on each side. The result intersects all adjacent boxes. On a
  // periodic axis, bricks wrap around.
  struct interval {
    std::int64_t begin, end;
  };
  std::array<std::vector<interval>, 3> reach;
  const std::int64_t side = std::int64_t{1} << level;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t first = owned.begin[axis] >> level, last = (owned.end[axis] - 1) >> level;
    const std::int64_t bricks = (boxes.domain()[axis] + side - 1) >> level;
    auto& along = reach[static_cast<std::size_t>(axis)];
    along.push_back({(first - 1) * side, (last + 2) * side});
    if (!periodic[static_cast<std::size_t>(axis)]) continue;
    if (first == 0) along.push_back({(bricks - 1) * side, bricks * side});
    if (last == bricks - 1) along.push_back({0, side});
  }
  for (const interval& z : reach[0])
    for (const interval& y : reach[1])
      for (const interval& x : reach[2]) {
        const auto found = boxes.groups_overlapping({{z.begin, y.begin, x.begin}, {z.end, y.end, x.end}}, group_of);
        groups.insert(groups.end(), found.begin(), found.end());
      }
}

}  // namespace

std::vector<int> adjacent_ranks(const block& where, int level, const std::array<bool, 3>& periodic) {
  std::vector<int> ranks;
  if (where.owned.empty()) return ranks;
  append_adjacent(*where.boxes, where.owned, level, periodic, [](int rank) { return rank; }, ranks);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::erase(ranks, comm::rank(where.comm));
  return ranks;
}

std::vector<int> touching_groups(const block& where, int level, const std::array<bool, 3>& periodic, int begin, int end,
                                 const std::function<int(int rank)>& group_of) {
  std::vector<int> groups;
  for (int rank = begin; rank < end; ++rank) {
    append_adjacent(*where.boxes, where.boxes->box_of(rank), level, periodic, group_of, groups);
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  }
  if (begin < end) std::erase(groups, group_of(begin));
  return groups;
}

}  // namespace osteon::grid
