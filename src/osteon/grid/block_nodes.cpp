#include <osteon/grid/block_nodes.hpp>

#include <utility>

namespace osteon::grid {

namespace {

// Ranks whose boxes have a face, an edge or a corner in common with this one's.
std::vector<int> touching_ranks(const block& where) {
  const int me = comm::rank(where.comm), size = comm::size(where.comm);
  const box3& b = where.owned;
  const std::int64_t mine[6] = {b.begin.z, b.begin.y, b.begin.x, b.end.z, b.end.y, b.end.x};
  std::vector<std::int64_t> all(6 * static_cast<std::size_t>(size));
  MPI_Allgather(mine, 6, MPI_INT64_T, all.data(), 6, MPI_INT64_T, where.comm);
  std::vector<int> ranks;
  for (int r = 0; r < size; ++r) {
    const std::int64_t* theirs = all.data() + 6 * static_cast<std::size_t>(r);
    bool touches = r != me;
    for (int a = 0; a < 3; ++a) touches &= theirs[a] <= mine[3 + a] && mine[a] <= theirs[3 + a];
    if (touches) ranks.push_back(r);
  }
  return ranks;
}

}  // namespace

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
