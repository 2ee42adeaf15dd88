#include <osteon/physics/heat/solver/percolation.hpp>

#include <algorithm>
#include <numeric>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/voxel/rows_of_runs.hpp>

namespace osteon::physics {

namespace {

// Unite the runs of two adjacent rows that overlap in x.
void unite_rows(disjoint_sets& forest, const voxel::run* origin, std::span<const voxel::run> a,
                std::span<const voxel::run> b) {
  voxel::for_each_meeting(a, b, 0, [&](const voxel::run& p, const voxel::run& q) {
    forest.unite(static_cast<std::int32_t>(&p - origin), static_cast<std::int32_t>(&q - origin));
  });
}

// The run that contains each given cell.
std::vector<std::int32_t> runs_of(const ghosted_cells& cells, std::span<const std::int32_t> by_number,
                                  std::span<const std::int32_t> numbers) {
  std::vector<std::int32_t> runs;
  runs.reserve(numbers.size());
  for (const std::int32_t i : numbers)
    runs.push_back(*(std::upper_bound(by_number.begin(), by_number.end(), i,
                                      [&](std::int32_t value, std::int32_t run) {
                                        return value < cells.runs[static_cast<std::size_t>(run)].first;
                                      }) -
                     1));
  return runs;
}

// Number of cells in the overlap of two rows.
std::int64_t overlap(std::span<const voxel::run> a, std::span<const voxel::run> b) {
  std::int64_t sum = 0;
  voxel::for_each_meeting(a, b, 0, [&](const voxel::run& p, const voxel::run& q) {
    sum += std::min(p.x + p.length, q.x + q.length) - std::max(p.x, q.x);
  });
  return sum;
}

std::int64_t cells_in(std::span<const voxel::run> row) {
  return std::accumulate(row.begin(), row.end(), std::int64_t{0},
                         [](auto sum, const voxel::run& r) { return sum + r.length; });
}

}  // namespace

disjoint_sets unite_runs(const ghosted_cells& cells) {
  const std::span<const voxel::run> runs = cells.runs;
  const index3 shape = cells.shape;
  disjoint_sets forest(runs.size());
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const auto row = cells.row(z, y);
      for (std::size_t n = 1; n < row.size(); ++n)  // along x, only ghosts are adjacent to runs
        if (row[n - 1].x + row[n - 1].length == row[n].x)
          forest.unite(static_cast<std::int32_t>(&row[n - 1] - runs.data()),
                       static_cast<std::int32_t>(&row[n] - runs.data()));
      unite_rows(forest, runs.data(), cells.row(z, y - 1), row);
      unite_rows(forest, runs.data(), cells.row(z - 1, y), row);
      if (y + 1 == shape.y) unite_rows(forest, runs.data(), row, cells.row(z, y + 1));
      if (z + 1 == shape.z) unite_rows(forest, runs.data(), row, cells.row(z + 1, y));
    }
  return forest;
}

link_runs runs_of_links(const ghosted_cells& cells) {
  const std::span<const voxel::run> runs = cells.runs;
  const auto& links = cells.links.links;
  std::vector<std::int32_t> by_number(links.empty() ? 0 : runs.size());
  std::iota(by_number.begin(), by_number.end(), 0);
  std::sort(by_number.begin(), by_number.end(), [&](std::int32_t a, std::int32_t b) {
    return runs[static_cast<std::size_t>(a)].first < runs[static_cast<std::size_t>(b)].first;
  });
  link_runs found{std::vector<std::vector<std::int32_t>>(links.size()),
                  std::vector<std::vector<std::int32_t>>(links.size())};
  for (std::size_t n = 0; n < links.size(); ++n) {
    found.inside[n] = runs_of(cells, by_number, links[n].send);
    std::vector<std::int32_t> ghosts(static_cast<std::size_t>(links[n].ghost_count));
    std::iota(ghosts.begin(), ghosts.end(), links[n].ghost_begin);
    found.beyond[n] = runs_of(cells, by_number, ghosts);
  }
  return found;
}

std::vector<std::uint8_t> connected_faces(const grid::block& where, const ghosted_cells& cells,
                                          std::span<const std::uint8_t> seed) {
  const std::span<const voxel::run> runs = cells.runs;
  disjoint_sets forest = unite_runs(cells);
  std::vector<std::uint8_t> bits(runs.size(), 0);  // bits of each set, stored at the root of the set
  const auto root_bits = [&](std::size_t i) -> std::uint8_t& {
    return bits[static_cast<std::size_t>(forest.find(static_cast<std::int32_t>(i)))];
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const voxel::run& r = runs[i];
    std::uint8_t own = seed.empty() ? std::uint8_t{0} : seed[i];
    if (cells.is_owned(r)) {
      const index3 first = where.owned.begin + index3{r.z, r.y, r.x}, last = first + index3{0, 0, r.length - 1};
      for (int a = 0; a < 3; ++a) {
        if (first[a] == 0) own |= face_bit(a, false);
        if (last[a] == where.domain[a] - 1) own |= face_bit(a, true);
      }
    }
    root_bits(i) |= own;
  }

  const auto& links = cells.links.links;
  const auto [inside, beyond] = runs_of_links(cells);
  for (int changed = 1; changed != 0;) {
    changed = 0;
    std::vector<std::vector<std::uint8_t>> out(links.size());
    for (std::size_t n = 0; n < links.size(); ++n)
      for (const std::int32_t run : inside[n]) out[n].push_back(root_bits(static_cast<std::size_t>(run)));
    const auto in = cells.links.swap(out);
    for (std::size_t n = 0; n < links.size(); ++n)
      for (std::size_t i = 0; i < in[n].size(); ++i) {
        std::uint8_t& have = root_bits(static_cast<std::size_t>(beyond[n][i]));
        if ((in[n][i] & ~have) == 0) continue;
        have |= in[n][i];
        changed = 1;
      }
    changed = comm::max_over_ranks(where.comm, changed);
  }
  std::vector<std::uint8_t> result(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) result[i] = root_bits(i);
  return result;
}

std::array<face_match, 3> match_faces(const grid::block& where, const ghosted_cells& cells, std::array<bool, 3> periodic) {
  const index3 shape = cells.shape, begin = where.owned.begin, end = where.owned.end, domain = where.domain;
  std::array<face_match, 3> match{};
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const auto row = cells.owned_row(z, y);
      if (row.empty()) continue;
      const auto count = [&](std::size_t a, std::int64_t at, std::int64_t last, std::span<const voxel::run> across) {
        const int axis = static_cast<int>(a);
        if (!periodic[a]) return;
        if (at == 0 && begin[axis] == 0) {
          match[a].low += cells_in(row);
          match[a].both += overlap(across, row);
        }
        if (at == last && end[axis] == domain[axis]) match[a].high += cells_in(row);
      };
      count(0, z, shape.z - 1, cells.row(z - 1, y));
      count(1, y, shape.y - 1, cells.row(z, y - 1));
      if (!periodic[2]) continue;
      const bool low = begin.x == 0 && row.front().x == 0;
      match[2].low += low;
      match[2].both += low && cells.row(z, y).front().x < 0;
      match[2].high += end.x == domain.x && row.back().x + row.back().length == shape.x;
    }
  static_assert(sizeof match == 9 * sizeof(std::int64_t));
  comm::all_reduce(where.comm, &match[0].low, 9, MPI_SUM);
  return match;
}

}  // namespace osteon::physics
