#include <osteon/numerics/operators/ghosted_cells.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/grid/redistribute.hpp>

namespace osteon::numerics {

namespace {

// Cells on the two sides of a face between two ranks, in the coordinates of this rank's block.
struct contact {
  box3 mine;    // owned voxels at the face
  box3 theirs;  // the voxels beyond the face
};

index3 along(int axis, std::int64_t step) {
  index3 p{};
  p[axis] = step;
  return p;
}

box3 shifted(const box3& b, const index3& by) { return {b.begin + by, b.end + by}; }

// Find the parts of other ranks' blocks beyond each face, and append a link for each part.
std::vector<contact> find_contacts(const grid::block& where, std::array<bool, 3> periodic, std::vector<halo_link>& links) {
  std::vector<contact> contacts;
  for (int side = 0; side < 6; ++side) {
    const int axis = side / 2;
    const std::int64_t outward = side % 2 != 0 ? 1 : -1;
    box3 beyond = where.owned;
    (outward > 0 ? beyond.begin : beyond.end)[axis] = outward > 0 ? beyond.end[axis] : beyond.begin[axis];
    (outward > 0 ? beyond.end : beyond.begin)[axis] += outward;
    const std::int64_t length = where.domain[axis];
    const bool is_outside = beyond.begin[axis] < 0 || beyond.end[axis] > length;
    if (is_outside && !periodic[static_cast<std::size_t>(axis)]) continue;
    const index3 wrap = along(axis, is_outside ? -outward * length : 0), home = along(axis, 0) - where.owned.begin;
    for (const grid::piece& p : grid::pieces_of(*where.boxes, shifted(beyond, wrap))) {
      const box3 theirs = shifted(shifted(p.part, along(axis, -wrap[axis])), home);
      contacts.push_back({shifted(theirs, along(axis, -outward)), theirs});
      links.push_back({p.rank, side, {}, 0, 0});
    }
  }
  return contacts;
}

// The runs of the cells in a part of the block. Coordinates are relative to the part; cell numbers refer to the block.
std::vector<voxel::run> runs_in(const voxel::run_set& cells, const box3& part) {
  std::vector<voxel::run> runs;
  for (std::int64_t z = part.begin.z; z < part.end.z; ++z)
    for (std::int64_t y = part.begin.y; y < part.end.y; ++y)
      for (const voxel::run& r : cells.row(z, y)) {
        const std::int64_t begin = std::max<std::int64_t>(r.x, part.begin.x),
                           end = std::min<std::int64_t>(r.x + r.length, part.end.x);
        if (begin >= end) continue;
        runs.push_back({static_cast<std::int32_t>(z - part.begin.z), static_cast<std::int32_t>(y - part.begin.y),
                        static_cast<std::int32_t>(begin - part.begin.x), static_cast<std::int32_t>(end - begin),
                        r.first + static_cast<std::int32_t>(begin - r.x)});
      }
  return runs;
}

bool is_before(const voxel::run& a, const voxel::run& b) {
  return a.z != b.z ? a.z < b.z : a.y != b.y ? a.y < b.y : a.x < b.x;
}

void index_rows(ghosted_cells& c) {
  c.row_begin.assign(static_cast<std::size_t>((c.shape.z + 2) * (c.shape.y + 2) + 1), 0);
  for (const voxel::run& r : c.runs) ++c.row_begin[static_cast<std::size_t>((r.z + 1) * (c.shape.y + 2) + r.y + 2)];
  for (std::size_t n = 1; n < c.row_begin.size(); ++n) c.row_begin[n] += c.row_begin[n - 1];
}

}  // namespace

ghosted_cells with_ghosts(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic) {
  ghosted_cells result;
  result.shape = cells.shape();
  result.owned = cells.size();
  result.links.comm = where.comm;
  auto& links = result.links.links;
  const std::vector<contact> contacts = find_contacts(where, periodic, links);
  std::vector<std::vector<voxel::run>> mine(links.size());
  std::vector<std::vector<std::int32_t>> count(links.size());
  for (std::size_t n = 0; n < links.size(); ++n) {
    mine[n] = runs_in(cells, contacts[n].mine);
    for (const voxel::run& r : mine[n])
      for (std::int32_t i = 0; i < r.length; ++i) links[n].send.push_back(r.first + i);
    count[n].assign(1, static_cast<std::int32_t>(mine[n].size()));
  }
  const auto counts = result.links.swap(count, [](std::size_t) { return 1; });
  auto theirs = result.links.swap(mine, [&](std::size_t n) { return counts[n][0]; });

  std::vector<voxel::run> ghosts;
  std::int64_t size = result.owned;
  for (std::size_t n = 0; n < links.size(); ++n) {
    links[n].ghost_begin = static_cast<std::int32_t>(size);
    const index3 origin = contacts[n].theirs.begin;
    for (const voxel::run& r : theirs[n]) {
      ghosts.push_back({static_cast<std::int32_t>(r.z + origin.z), static_cast<std::int32_t>(r.y + origin.y),
                        static_cast<std::int32_t>(r.x + origin.x), r.length, static_cast<std::int32_t>(size)});
      size += r.length;
    }
    links[n].ghost_count = static_cast<std::int32_t>(size - links[n].ghost_begin);
  }
  comm::collectively(where.comm, [&] {
    if (size > std::numeric_limits<std::int32_t>::max())
      throw data_error(
          fmt::format("{} cells and ghosts on one rank exceed the range of 32-bit numbers; use more ranks", size));
  });
  result.size = static_cast<std::int32_t>(size);
  std::sort(ghosts.begin(), ghosts.end(), is_before);
  result.runs.resize(cells.runs().size() + ghosts.size());
  std::merge(cells.runs().begin(), cells.runs().end(), ghosts.begin(), ghosts.end(), result.runs.begin(), is_before);
  index_rows(result);
  return result;
}

ghosted_cells only(const ghosted_cells& all, const std::vector<bool>& keep) {
  ghosted_cells result;
  result.shape = all.shape;
  result.links.comm = all.links.comm;
  std::vector<std::int32_t> number(static_cast<std::size_t>(all.size), -1);
  for (std::size_t n = 0; n < all.runs.size(); ++n)
    if (keep[n]) std::fill_n(number.begin() + all.runs[n].first, all.runs[n].length, 0);
  for (std::int32_t i = 0; i < all.size; ++i) {
    auto& own = number[static_cast<std::size_t>(i)];
    if (own < 0) continue;
    own = result.size++;
    if (i < all.owned) result.owned = result.size;
  }
  for (std::size_t n = 0; n < all.runs.size(); ++n) {
    if (!keep[n]) continue;
    voxel::run& r = result.runs.emplace_back(all.runs[n]);
    r.first = number[static_cast<std::size_t>(r.first)];
  }
  for (const halo_link& link : all.links.links) {
    halo_link& kept = result.links.links.emplace_back(halo_link{link.rank, link.side, {}, 0, 0});
    for (const std::int32_t i : link.send)
      if (number[static_cast<std::size_t>(i)] >= 0) kept.send.push_back(number[static_cast<std::size_t>(i)]);
    kept.ghost_begin = result.size;
    for (std::int32_t i = link.ghost_begin; i < link.ghost_begin + link.ghost_count; ++i) {
      const std::int32_t own = number[static_cast<std::size_t>(i)];
      if (own < 0) continue;
      kept.ghost_begin = std::min(kept.ghost_begin, own);
      ++kept.ghost_count;
    }
  }
  index_rows(result);
  return result;
}

}  // namespace osteon::numerics
