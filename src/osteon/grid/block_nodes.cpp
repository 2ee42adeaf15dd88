#include <osteon/grid/block_nodes.hpp>

#include <utility>

namespace osteon::grid {

shared_nodes share_nodes(const block& where, const voxel::run_set& nodes, const std::array<bool, 3>& periodic) {
  const index3 last = nodes.shape() - index3{1, 1, 1};
  std::vector<identified_node> boundary;
  for (const voxel::run& r : nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const index3 at{r.z, r.y, r.x + i};
      index3 global = where.owned.begin + at;
      bool outer = false;
      for (int a = 0; a < 3; ++a) {
        outer |= at[a] == 0 || at[a] == last[a];
        if (periodic[static_cast<std::size_t>(a)] && global[a] == where.domain[a]) global[a] = 0;
      }
      if (outer) boundary.push_back({node_id(where.domain, global), r.first + i});
    }
  return {where.comm, std::move(boundary), adjacent_ranks(where, 0, periodic), "nodes of sets and parts"};
}

}  // namespace osteon::grid
