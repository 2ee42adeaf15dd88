#include <osteon/grid/block_nodes.hpp>

#include <utility>

namespace osteon::grid {

shared_nodes share_nodes(const block& where, const voxel::run_set& nodes) {
  const index3 last = nodes.shape() - index3{1, 1, 1};
  std::vector<identified_node> boundary;
  for (const voxel::run& r : nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const index3 at{r.z, r.y, r.x + i};
      bool outer = false;
      for (int a = 0; a < 3; ++a) outer |= at[a] == 0 || at[a] == last[a];
      if (outer) boundary.push_back({node_id(where.domain, where.owned.begin + at), r.first + i});
    }
  return {where.comm, std::move(boundary), touching_ranks(where)};
}

}  // namespace osteon::grid
