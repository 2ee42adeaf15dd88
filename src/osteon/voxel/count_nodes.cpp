#include <osteon/voxel/count_nodes.hpp>

#include <algorithm>
#include <array>
#include <osteon/base/for_each.hpp>
#include <utility>
#include <vector>

namespace osteon::voxel {

namespace {

/// The runs of a row, from the low end.
struct cursor {
  std::int32_t at = 0, end = 0;
  std::int64_t x = 0, behind = 0;  // nodes of the current run: x ... behind - 1
};

bool next(const image_runs& cells, cursor& c) {
  if (c.at == c.end) return false;
  const auto [x, length] = cells.at(c.at++);
  c.x = x;
  c.behind = std::int64_t{x} + length + 1;
  return true;
}

// Count the nodes of the planes [first_plane, last_plane).
node_count count_planes(const image_runs& cells, std::int64_t first_plane, std::int64_t last_plane) {
  const index3 n = cells.shape();
  node_count count;
  std::array<cursor, 4> rows;  // the voxel rows around a row of nodes
  for (std::int64_t z = first_plane; z < last_plane; ++z)
    for (std::int64_t y = 0; y <= n.y; ++y) {
      std::size_t used = 0;
      for (std::int64_t dz = z > 0 ? -1 : 0; dz <= (z < n.z ? 0 : -1); ++dz)
        for (std::int64_t dy = y > 0 ? -1 : 0; dy <= (y < n.y ? 0 : -1); ++dy) {
          const std::int64_t row = (z + dz) * n.y + y + dy;
          rows[used] = {cells.row_begin(row), cells.row_begin(row + 1)};
          used += next(cells, rows[used]);
        }
      if (used == 0) continue;
      std::int64_t here = 0, end = 0;  // `end` is one past the last counted node
      bool is_low = false;
      while (used > 0) {  // the runs of all rows in ascending order
        std::size_t first = 0;
        for (std::size_t i = 1; i < used; ++i)
          if (rows[i].x < rows[first].x) first = i;
        cursor& r = rows[first];
        here += std::max<std::int64_t>(r.behind - std::max(r.x, end), 0);
        end = std::max(end, r.behind);
        is_low = is_low || r.x == 0;
        if (!next(cells, r)) r = rows[--used];
      }
      count.all += here;
      if (z == 0) count.on_face[0][0] += here;
      if (z == n.z) count.on_face[0][1] += here;
      if (y == 0) count.on_face[1][0] += here;
      if (y == n.y) count.on_face[1][1] += here;
      count.on_face[2][0] += is_low;
      count.on_face[2][1] += end == n.x + 1;
    }
  return count;
}

}  // namespace

node_count count_nodes(const image_runs& cells) {
  const std::int64_t planes = cells.shape().z + 1, slab = 16;
  std::vector<node_count> parts(static_cast<std::size_t>((planes + slab - 1) / slab));
  osteon::for_each_block(planes, slab, [&](std::int64_t begin, std::int64_t end) {
    parts[static_cast<std::size_t>(begin / slab)] = count_planes(cells, begin, end);
  });
  node_count count;
  for (const node_count& part : parts) {
    count.all += part.all;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t high = 0; high < 2; ++high) count.on_face[a][high] += part.on_face[a][high];
  }
  return count;
}

}  // namespace osteon::voxel
