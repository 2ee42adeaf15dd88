#include <osteon/grid/block_nodes.hpp>

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
  std::vector<std::int64_t> ids;
  ids.reserve(static_cast<std::size_t>(nodes.size()));
  for (const voxel::run& r : nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      ids.push_back(node_id(where.domain, where.owned.begin + index3{r.z, r.y, r.x + i}));
  return {where.comm, ids, touching_ranks(where)};
}

}  // namespace osteon::grid
