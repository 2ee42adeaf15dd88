#include <osteon/voxel/components.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/base/for_each.hpp>
#include <tuple>
#include <utility>

namespace osteon::voxel {

namespace {

/// Runs by their index, and the indices of a row.
struct row_of_runs {
  std::int32_t begin = 0, end = 0;
};

class indexed_run_set {
 public:
  explicit indexed_run_set(const run_set& of) : of_(of) {}
  index3 shape() const { return of_.shape(); }
  std::int32_t size() const { return static_cast<std::int32_t>(of_.runs().size()); }
  row_of_runs row(std::int64_t z, std::int64_t y) const {
    const auto runs = of_.row(z, y);
    const auto begin = static_cast<std::int32_t>(runs.data() - of_.runs().data());
    return {begin, begin + static_cast<std::int32_t>(runs.size())};
  }
  std::pair<std::int32_t, std::int32_t> at(std::int32_t i) const {
    const run& r = of_.runs()[static_cast<std::size_t>(i)];
    return {r.x, r.length};
  }

 private:
  const run_set& of_;
};

class indexed_image_runs {
 public:
  explicit indexed_image_runs(const image_runs& of) : of_(of) {}
  index3 shape() const { return of_.shape(); }
  std::int32_t size() const { return of_.size(); }
  row_of_runs row(std::int64_t z, std::int64_t y) const {
    const std::int64_t row = z * of_.shape().y + y;
    return {of_.row_begin(row), of_.row_begin(row + 1)};
  }
  std::pair<std::int32_t, std::int32_t> at(std::int32_t i) const { return of_.at(i); }

 private:
  const image_runs& of_;
};

// Unite runs of two neighbouring rows if their distance in x is at most `reach`.
template <class Runs>
void unite_rows(disjoint_sets& sets, const Runs& runs, row_of_runs a, row_of_runs b, std::int32_t reach) {
  if (a.begin == a.end || b.begin == b.end) return;
  std::int32_t p = a.begin, q = b.begin;
  auto [x_p, length_p] = runs.at(p);
  auto [x_q, length_q] = runs.at(q);
  for (;;) {
    const std::int32_t end_p = x_p + length_p, end_q = x_q + length_q;
    if (x_p < end_q + reach && x_q < end_p + reach) sets.unite(p, q);
    if (end_p <= end_q) {
      if (++p == a.end) return;
      std::tie(x_p, length_p) = runs.at(p);
    } else {
      if (++q == b.end) return;
      std::tie(x_q, length_q) = runs.at(q);
    }
  }
}

template <class Runs>
disjoint_sets united(const Runs& runs, const std::array<bool, 3>& periodic, connectivity by) {
  const index3 shape = runs.shape();
  disjoint_sets sets(static_cast<std::size_t>(runs.size()));
  // Unite the last run of one row and the first run of the other row across the periodic x faces.
  const auto join_around = [&](row_of_runs low, row_of_runs high) {
    if (low.begin == low.end || high.begin == high.end || runs.at(low.begin).first != 0) return;
    const auto [x, length] = runs.at(high.end - 1);
    if (x + length == shape.x) sets.unite(low.begin, high.end - 1);
  };
  const bool by_corners = by == connectivity::corners;
  const std::int64_t slab = std::max<std::int64_t>(16, shape.z / 64);  // planes
  // Half of the neighbouring rows are sufficient, because the relation is symmetric. The last two rows share only edges and
  // corners.
  constexpr std::array<std::array<std::int64_t, 2>, 4> before{{{0, -1}, {-1, 0}, {-1, -1}, {-1, 1}}};
  const auto unite_plane = [&](std::int64_t z, bool is_within_slab, bool is_across_slabs) {
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const row_of_runs row = runs.row(z, y);
      if (row.begin == row.end) continue;
      if (periodic[2] && is_within_slab) join_around(row, row);
      for (std::size_t n = 0; n < (by_corners ? 4U : 2U); ++n) {
        index3 at{z + before[n][0], y + before[n][1], 0};
        bool is_inside = at.z == z ? is_within_slab : z % slab == 0 ? is_across_slabs : is_within_slab;
        for (int d = 0; d < 2; ++d) {
          if (at[d] >= 0 && at[d] < shape[d]) continue;
          is_inside = is_inside && periodic[static_cast<std::size_t>(d)];
          at[d] = at[d] < 0 ? shape[d] - 1 : 0;
        }
        if (!is_inside) continue;
        const row_of_runs other = runs.row(at.z, at.y);
        unite_rows(sets, runs, row, other, by_corners ? 1 : 0);
        if (periodic[2] && by_corners) join_around(row, other), join_around(other, row);
      }
    }
  };
  // Threads unite the runs of slabs, whose sets are disjoint. The joining of the slabs follows. The root of a set is its
  // smallest member, so the result does not depend on the slabs.
  osteon::for_each_block(shape.z, slab, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t z = begin; z < end; ++z) unite_plane(z, true, false);
  });
  for (std::int64_t z = 0; z < shape.z; z += slab) unite_plane(z, false, true);
  return sets;
}

// Sort the parts by descending size; parts of equal size keep their order.
void sort_by_size(components& found) {
  const std::size_t count = found.parts.size();
  std::vector<std::int32_t> order(count), place(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return found.parts[static_cast<std::size_t>(a)].voxels > found.parts[static_cast<std::size_t>(b)].voxels;
  });
  for (std::size_t i = 0; i < count; ++i) place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  for (std::int32_t& part : found.part_of_run) part = place[static_cast<std::size_t>(part)];
  // Move the parts along the cycles of the permutation, without a second list.
  for (std::size_t i = 0; i < count; ++i)
    for (auto to = static_cast<std::size_t>(place[i]); to != i; to = static_cast<std::size_t>(place[i])) {
      std::swap(found.parts[i], found.parts[to]);
      std::swap(place[i], place[to]);
    }
}

template <class Runs>
components components_of(const Runs& runs, const std::array<bool, 3>& periodic, connectivity by) {
  components found;
  std::int32_t parts = 0;
  found.part_of_run = united(runs, periodic, by).number([&](std::int32_t) { ++parts; });
  component none;
  none.low.fill(std::numeric_limits<std::int32_t>::max());
  none.high.fill(-1);
  found.parts.assign(static_cast<std::size_t>(parts), none);
  const index3 shape = runs.shape();
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const row_of_runs row = runs.row(z, y);
      for (std::int32_t i = row.begin; i < row.end; ++i) {
        const auto [x, length] = runs.at(i);
        component& c = found.parts[static_cast<std::size_t>(found.part_of_run[static_cast<std::size_t>(i)])];
        c.voxels += length;
        const std::array<std::int32_t, 3> first{static_cast<std::int32_t>(z), static_cast<std::int32_t>(y), x};
        const std::array<std::int32_t, 3> last{first[0], first[1], x + length - 1};
        for (std::size_t a = 0; a < 3; ++a) {
          c.low[a] = std::min(c.low[a], first[a]);
          c.high[a] = std::max(c.high[a], last[a]);
        }
      }
    }
  sort_by_size(found);
  return found;
}

}  // namespace

components find_components(const run_set& cells, const std::array<bool, 3>& periodic, connectivity by) {
  return components_of(indexed_run_set(cells), periodic, by);
}

components find_components(const image_runs& cells, const std::array<bool, 3>& periodic, connectivity by) {
  return components_of(indexed_image_runs(cells), periodic, by);
}

numbered_parts number_parts(const image_runs& cells, const std::array<bool, 3>& periodic, connectivity by) {
  numbered_parts found;
  found.part_of_run = united(indexed_image_runs(cells), periodic, by).number([&](std::int32_t) { ++found.count; });
  return found;
}

}  // namespace osteon::voxel
