#include <osteon/voxel/count_nodes.hpp>

#include <algorithm>
#include <vector>

namespace osteon::voxel {

node_count count_nodes(const run_set& cells) {
  const index3 n = cells.shape();
  node_count count;
  std::vector<run> around;  // runs of the four voxel rows around a row of nodes
  for (std::int64_t z = 0; z <= n.z; ++z)
    for (std::int64_t y = 0; y <= n.y; ++y) {
      around.clear();
      for (std::int64_t dz = z > 0 ? -1 : 0; dz <= (z < n.z ? 0 : -1); ++dz)
        for (std::int64_t dy = y > 0 ? -1 : 0; dy <= (y < n.y ? 0 : -1); ++dy) {
          const auto row = cells.row(z + dz, y + dy);
          around.insert(around.end(), row.begin(), row.end());
        }
      if (around.empty()) continue;
      std::sort(around.begin(), around.end(), [](const run& a, const run& b) { return a.x < b.x; });
      std::int64_t here = 0, end = 0;  // `end` is one past the last counted node
      for (const run& r : around) {
        const std::int64_t behind = std::int64_t{r.x} + r.length + 1;
        here += std::max<std::int64_t>(behind - std::max<std::int64_t>(r.x, end), 0);
        end = std::max(end, behind);
      }
      count.all += here;
      if (z == 0) count.on_face[0][0] += here;
      if (z == n.z) count.on_face[0][1] += here;
      if (y == 0) count.on_face[1][0] += here;
      if (y == n.y) count.on_face[1][1] += here;
      count.on_face[2][0] += around.front().x == 0;
      count.on_face[2][1] += end == n.x + 1;
    }
  return count;
}

}  // namespace osteon::voxel
