#include <osteon/voxel/components.hpp>

#include <algorithm>
#include <numeric>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/voxel/rows_of_runs.hpp>

namespace osteon::voxel {

namespace {

// Unite runs of two neighbouring rows if their distance in x is at most `reach`.
void unite_rows(disjoint_sets& sets, const run* origin, std::span<const run> a, std::span<const run> b, std::int32_t reach) {
  for_each_meeting(a, b, reach, [&](const run& low, const run& high) {
    sets.unite(static_cast<std::int32_t>(&low - origin), static_cast<std::int32_t>(&high - origin));
  });
}

}  // namespace

components find_components(const run_set& cells, const std::array<bool, 3>& periodic, connectivity by) {
  const auto runs = cells.runs();
  const index3 shape = cells.shape();
  disjoint_sets sets(runs.size());
  // Unite the last run of one row and the first run of the other row across the periodic x faces.
  const auto join_around = [&](std::span<const run> low, std::span<const run> high) {
    if (low.empty() || high.empty() || low.front().x != 0 || high.back().x + high.back().length != shape.x) return;
    sets.unite(static_cast<std::int32_t>(&low.front() - runs.data()), static_cast<std::int32_t>(&high.back() - runs.data()));
  };
  const bool by_corners = by == connectivity::corners;
  // Half of the neighbouring rows are sufficient, because the relation is symmetric. The last two rows share only edges and
  // corners.
  constexpr std::array<std::array<std::int64_t, 2>, 4> before{{{0, -1}, {-1, 0}, {-1, -1}, {-1, 1}}};
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const auto row = cells.row(z, y);
      if (row.empty()) continue;
      if (periodic[2]) join_around(row, row);
      for (std::size_t n = 0; n < (by_corners ? 4U : 2U); ++n) {
        index3 at{z + before[n][0], y + before[n][1], 0};
        bool is_inside = true;
        for (int d = 0; d < 2; ++d) {
          if (at[d] >= 0 && at[d] < shape[d]) continue;
          is_inside = is_inside && periodic[static_cast<std::size_t>(d)];
          at[d] = at[d] < 0 ? shape[d] - 1 : 0;
        }
        if (!is_inside) continue;
        const auto other = cells.row(at.z, at.y);
        unite_rows(sets, runs.data(), row, other, by_corners ? 1 : 0);
        if (periodic[2] && by_corners) join_around(row, other), join_around(other, row);
      }
    }

  components found;
  const std::vector<std::int32_t> part = sets.number([&](std::int32_t root) {
    const run& r = runs[static_cast<std::size_t>(root)];
    found.parts.push_back({0, {r.z, r.y, r.x}, {r.z, r.y, r.x}});
  });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const run& r = runs[i];
    const index3 first{r.z, r.y, r.x}, last{r.z, r.y, r.x + r.length - 1};
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
