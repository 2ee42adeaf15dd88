#include <osteon/voxel/count_nodes.hpp>

#include <algorithm>
#include <vector>

namespace osteon::voxel {

node_count count_nodes(view3<const material_number> image) {
  const index3 n = image.shape();
  node_count count;
  // Of the four rows of voxels around a row of nodes: where there is one. An empty voxel at both ends.
  std::vector<std::uint8_t> around(static_cast<std::size_t>(n.x + 2));
  for (std::int64_t z = 0; z <= n.z; ++z)
    for (std::int64_t y = 0; y <= n.y; ++y) {
      std::fill(around.begin(), around.end(), std::uint8_t{0});
      for (std::int64_t dz = z > 0 ? -1 : 0; dz <= (z < n.z ? 0 : -1); ++dz)
        for (std::int64_t dy = y > 0 ? -1 : 0; dy <= (y < n.y ? 0 : -1); ++dy) {
          const material_number* row = &image(z + dz, y + dy, 0);
          for (std::int64_t x = 0; x < n.x; ++x)
            around[static_cast<std::size_t>(x + 1)] |= static_cast<std::uint8_t>(row[x] != 0);
        }
      std::int64_t here = 0;
      for (std::size_t x = 0; x + 1 < around.size(); ++x) here += around[x] | around[x + 1];
      count.all += here;
      if (z == 0) count.on_face[0][0] += here;
      if (z == n.z) count.on_face[0][1] += here;
      if (y == 0) count.on_face[1][0] += here;
      if (y == n.y) count.on_face[1][1] += here;
      count.on_face[2][0] += around[1];
      count.on_face[2][1] += around[static_cast<std::size_t>(n.x)];
    }
  return count;
}

}  // namespace osteon::voxel
