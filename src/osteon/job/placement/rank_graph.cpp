#include <osteon/job/placement/rank_graph.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/job/physics_entry.hpp>

namespace osteon::job {

namespace {

using counts = std::vector<std::int64_t>;

// Cuts of a box and its sides, in the order of grid::box_tree.
class cutter {
 public:
  cutter(index3 shape, const counts& active) : shape_(shape), active_(active) {}

  std::vector<grid::box_tree::cut> cuts(int ranks) {
    cut({{}, shape_}, ranks);
    return std::move(cuts_);
  }

 private:
  void cut(const box3& box, int ranks) {
    if (ranks == 1) return;
    constexpr double slack = 0.02;
    const double of_plane = static_cast<double>(shape_.y * shape_.x);
    std::array<counts, 3> planes;
    double all = 0;
    for (std::int64_t z = box.begin.z; z < box.end.z; ++z) {
      const double active = static_cast<double>(active_[static_cast<std::size_t>(z)]) / of_plane *
                            static_cast<double>(box.shape().y * box.shape().x);
      planes[0].push_back(std::llround(active));
      all += active;
    }
    for (const int a : {1, 2})
      planes[static_cast<std::size_t>(a)].assign(static_cast<std::size_t>(box.shape()[a]),
                                                 std::llround(all / static_cast<double>(box.shape()[a])));
    const std::span<const std::int64_t> active[3] = {planes[0], planes[1], planes[2]};
    const auto found = grid::choose_cut(box, active, ranks, slack);
    cuts_.push_back(found);
    box3 low = box, high = box;
    low.end[found.along] = high.begin[found.along] = found.position;
    cut(low, found.ranks_low);
    cut(high, ranks - found.ranks_low);
  }

  index3 shape_;
  const counts& active_;
  std::vector<grid::box_tree::cut> cuts_;
};

}  // namespace

int values_per_node(const spec& job) { return physics_of(job).system.values; }

placement::graph rank_graph(const spec& job, index3 shape, std::span<const std::int64_t> active_per_plane, int ranks) {
  const counts active = active_per_plane.empty() ? counts(static_cast<std::size_t>(shape.z), shape.y * shape.x)
                                                 : counts(active_per_plane.begin(), active_per_plane.end());
  const std::int64_t bytes = 8 * values_per_node(job);
  std::vector<placement::edge> edges;
  if (!uses_bricks(job, shape.z, ranks)) {
    const counts first = grid::balance_planes(active, ranks);
    for (int r = 1; r < ranks; ++r)
      edges.push_back({r - 1, r, active[static_cast<std::size_t>(first[static_cast<std::size_t>(r)])] * bytes});
    return placement::from_edges(ranks, edges);
  }
  const grid::box_tree boxes(shape, cutter(shape, active).cuts(ranks));
  double solid = 0;
  for (const std::int64_t n : active) solid += static_cast<double>(n);
  solid /= static_cast<double>(shape.volume());
  for (int r = 0; r < ranks; ++r) {
    const box3 around = grid::overlap(grid::grown(boxes.box_of(r), 1), {{}, shape});
    for (const int other : boxes.ranks_overlapping(around)) {
      if (other <= r) continue;
      const double shared = solid * static_cast<double>(grid::overlap(around, boxes.box_of(other)).volume());
      edges.push_back({r, other, std::max<std::int64_t>(1, std::llround(shared)) * bytes});
    }
  }
  return placement::from_edges(ranks, edges);
}

}  // namespace osteon::job
