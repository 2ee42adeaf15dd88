#include <osteon/base/at.hpp>
#include <osteon/voxel/components.hpp>

#include <algorithm>
#include <numeric>

namespace osteon::voxel {

namespace {

class disjoint_sets {
 public:
  explicit disjoint_sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::int32_t find(std::int32_t i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  // The smaller index becomes the root, so that the result does not depend on the order of the unions.
  void join(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    if (a != b) parent_[at(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<std::int32_t> parent_;
};

// Join the runs of two neighbouring rows that overlap in x; both rows are sorted, so one sweep is enough.
void join_rows(disjoint_sets& sets, const run* base, std::span<const run> a, std::span<const run> b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int32_t end_a = a[i].x + a[i].length, end_b = b[j].x + b[j].length;
    if (a[i].x < end_b && b[j].x < end_a)
      sets.join(static_cast<std::int32_t>(&a[i] - base), static_cast<std::int32_t>(&b[j] - base));
    if (end_a <= end_b)
      ++i;
    else
      ++j;
  }
}

}  // namespace

components find_components(const run_set& cells, const std::array<bool, 3>& periodic) {
  const auto runs = cells.runs();
  const index3 shape = cells.shape();
  disjoint_sets sets(runs.size());
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const auto row = cells.row(z, y);
      if (y > 0 || periodic[1]) join_rows(sets, runs.data(), row, cells.row(z, (y > 0 ? y : shape.y) - 1));
      if (z > 0 || periodic[0]) join_rows(sets, runs.data(), row, cells.row((z > 0 ? z : shape.z) - 1, y));
      if (periodic[2] && !row.empty() && row.front().x == 0 && row.back().x + row.back().length == shape.x)
        sets.join(static_cast<std::int32_t>(&row.front() - runs.data()),
                  static_cast<std::int32_t>(&row.back() - runs.data()));
    }

  components found;
  std::vector<std::int32_t> part(runs.size(), -1);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto root = static_cast<std::size_t>(sets.find(static_cast<std::int32_t>(i)));
    const run& r = runs[i];
    const index3 first{r.z, r.y, r.x}, last{r.z, r.y, r.x + r.length - 1};
    if (part[root] < 0) {
      part[root] = static_cast<std::int32_t>(found.parts.size());
      found.parts.push_back({0, first, last});
    }
    part[i] = part[root];
    component& c = found.parts[static_cast<std::size_t>(part[i])];
    c.voxels += r.length;
    for (int a = 0; a < 3; ++a) {
      c.low[a] = std::min(c.low[a], first[a]);
      c.high[a] = std::max(c.high[a], last[a]);
    }
  }

  std::vector<std::int32_t> order(found.parts.size()), rank(found.parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return found.parts[static_cast<std::size_t>(a)].voxels > found.parts[static_cast<std::size_t>(b)].voxels;
  });
  std::vector<component> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    sorted.push_back(found.parts[static_cast<std::size_t>(order[i])]);
  }
  found.parts = std::move(sorted);
  found.part_of_run.resize(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) found.part_of_run[i] = rank[static_cast<std::size_t>(part[i])];
  return found;
}

}  // namespace osteon::voxel
