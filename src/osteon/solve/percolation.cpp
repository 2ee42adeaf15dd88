#include <osteon/solve/percolation.hpp>

#include <algorithm>
#include <numeric>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/solve/plane_halo.hpp>

namespace osteon::solve {

namespace {

constexpr int tag = 33;

// Send `mine` to `to` while receiving from `from`, counts first.
std::vector<voxel::run> swap_runs(MPI_Comm comm, std::span<const voxel::run> mine, int to, int from) {
  int send = static_cast<int>(mine.size_bytes()), receive = 0;
  MPI_Sendrecv(&send, 1, MPI_INT, to, tag, &receive, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
  std::vector<voxel::run> theirs(static_cast<std::size_t>(receive) / sizeof(voxel::run));
  MPI_Sendrecv(mine.data(), send, MPI_BYTE, to, tag, theirs.data(), receive, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
  return theirs;
}

// Disjoint sets of runs; the root of a set is its smallest member.
class run_forest {
 public:
  explicit run_forest(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::int32_t root(std::int32_t i) {
    while (parent_[index(i)] != i) i = parent_[index(i)] = parent_[index(parent_[index(i)])];
    return i;
  }
  void unite(std::int32_t a, std::int32_t b) {
    a = root(a);
    b = root(b);
    parent_[index(std::max(a, b))] = std::min(a, b);
  }

 private:
  static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
  std::vector<std::int32_t> parent_;
};

// Unite the runs of two adjacent rows that overlap in x.
void unite_rows(run_forest& forest, const voxel::run* origin, std::span<const voxel::run> a, std::span<const voxel::run> b) {
  for (auto p = a.begin(), q = b.begin(); p != a.end() && q != b.end();) {
    if (p->x < q->x + q->length && q->x < p->x + p->length)
      forest.unite(static_cast<std::int32_t>(&*p - origin), static_cast<std::int32_t>(&*q - origin));
    if (p->x + p->length < q->x + q->length)
      ++p;
    else
      ++q;
  }
}

}  // namespace

grid::block closed_ring(grid::block where, bool periodic_z) {
  if (!periodic_z) return where;
  const int ranks = comm::size(where.comm), rank = comm::rank(where.comm);
  where.below = (rank + ranks - 1) % ranks;
  where.above = (rank + 1) % ranks;
  return where;
}

voxel::run_set with_ghost_runs(const grid::block& where, const voxel::run_set& cells) {
  const index3 shape = cells.shape() + index3{2, 0, 0};
  const auto under = swap_runs(where.comm, cells.plane(cells.shape().z - 1), where.above, where.below);
  const auto over = swap_runs(where.comm, cells.plane(0), where.below, where.above);
  std::vector<voxel::run> runs;
  runs.reserve(under.size() + cells.runs().size() + over.size());
  const auto append = [&](std::span<const voxel::run> more, auto plane) {
    for (voxel::run r : more) {
      r.z = static_cast<std::int32_t>(plane(r));
      runs.push_back(r);
    }
  };
  append(under, [](const voxel::run&) { return 0; });
  append(cells.runs(), [](const voxel::run& r) { return r.z + 1; });
  append(over, [&](const voxel::run&) { return shape.z - 1; });
  voxel::run_set all;
  comm::together(where.comm, [&] { all = {shape, std::move(runs)}; });  // refuses more cells than a rank can number
  return all;
}

std::vector<std::uint8_t> reached_faces(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic,
                                        std::span<const std::uint8_t> seed) {
  const auto runs = cells.runs();
  const index3 shape = cells.shape();
  run_forest forest(runs.size());
  const auto unite_planes = [&](std::int64_t z, std::int64_t below) {
    for (std::int64_t y = 0; y < shape.y; ++y) unite_rows(forest, runs.data(), cells.row(below, y), cells.row(z, y));
  };
  for (std::int64_t z = 0; z < shape.z; ++z) {
    for (std::int64_t y = 1; y < shape.y; ++y) unite_rows(forest, runs.data(), cells.row(z, y - 1), cells.row(z, y));
    if (periodic[1]) unite_rows(forest, runs.data(), cells.row(z, 0), cells.row(z, shape.y - 1));
    for (std::int64_t y = 0; periodic[2] && y < shape.y; ++y)
      if (const auto row = cells.row(z, y);
          !row.empty() && row.front().x == 0 && row.back().x + row.back().length == shape.x)
        forest.unite(static_cast<std::int32_t>(&row.front() - runs.data()),
                     static_cast<std::int32_t>(&row.back() - runs.data()));
    if (z > 0) unite_planes(z, z - 1);
  }

  std::vector<std::uint8_t> bits(runs.size(), 0);  // of a set: at its root
  const auto root_bits = [&](std::size_t i) -> std::uint8_t& {
    return bits[static_cast<std::size_t>(forest.root(static_cast<std::int32_t>(i)))];
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const voxel::run& r = runs[i];
    const std::array<std::int64_t, 3> first{r.z - 1 + where.owned.begin.z, r.y, r.x};
    const std::array<std::int64_t, 3> last{first[0], r.y, r.x + r.length - 1};
    std::uint8_t own = seed.empty() ? std::uint8_t{0} : seed[i];
    for (int a = 0; a < 3; ++a) {
      if (first[static_cast<std::size_t>(a)] == 0) own |= face_bit(a, false);
      if (last[static_cast<std::size_t>(a)] == where.domain[a] - 1) own |= face_bit(a, true);
    }
    root_bits(i) |= own;
  }

  // The outermost owned planes go out, the ghost planes beyond them come in.
  const auto first_run = [&](std::int64_t z) { return static_cast<std::size_t>(cells.plane(z).data() - runs.data()); };
  plane_halo halo{where.comm, {halo_side{where.below, {}, 0, 0}, halo_side{where.above, {}, 0, 0}}};
  const std::array<std::int64_t, 2> owned{1, shape.z - 2}, ghost{0, shape.z - 1};
  for (std::size_t s = 0; s < 2; ++s) halo.sides[s].ghost_count = static_cast<std::int32_t>(cells.plane(ghost[s]).size());
  for (int changed = 1; changed != 0;) {
    changed = 0;
    std::array<std::vector<std::uint8_t>, 2> out;
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t i = 0; halo.sides[s].rank != MPI_PROC_NULL && i < cells.plane(owned[s]).size(); ++i)
        out[s].push_back(root_bits(first_run(owned[s]) + i));
    const auto in = halo.swap(out);
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t i = 0; i < in[s].size(); ++i) {
        std::uint8_t& have = root_bits(first_run(ghost[s]) + i);
        if ((in[s][i] & ~have) == 0) continue;
        have |= in[s][i];
        changed = 1;
      }
    MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, where.comm);
  }
  std::vector<std::uint8_t> result(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) result[i] = root_bits(i);
  return result;
}

std::array<face_match, 3> match_faces(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic) {
  const index3 shape = cells.shape();
  std::array<face_match, 3> match{};
  const auto compare = [](face_match& m, std::span<const voxel::run> low, std::span<const voxel::run> high) {
    for (const voxel::run& r : low) m.low += r.length;
    for (const voxel::run& r : high) m.high += r.length;
    for (auto p = low.begin(), q = high.begin(); p != low.end() && q != high.end();) {
      const std::int32_t p_end = p->x + p->length, q_end = q->x + q->length;
      m.both += std::max(0, std::min(p_end, q_end) - std::max(p->x, q->x));
      if (p_end < q_end)
        ++p;
      else
        ++q;
    }
  };
  for (std::int64_t y = 0; periodic[0] && where.owned.begin.z == 0 && y < shape.y; ++y)
    compare(match[0], cells.row(1, y), cells.row(0, y));
  for (std::int64_t z = 1; z + 1 < shape.z; ++z) {
    if (periodic[1]) compare(match[1], cells.row(z, 0), cells.row(z, shape.y - 1));
    for (std::int64_t y = 0; periodic[2] && y < shape.y; ++y) {
      const auto row = cells.row(z, y);
      if (row.empty()) continue;
      const bool low = row.front().x == 0, high = row.back().x + row.back().length == shape.x;
      match[2].low += low;
      match[2].high += high;
      match[2].both += low && high;
    }
  }
  static_assert(sizeof match == 9 * sizeof(std::int64_t));
  MPI_Allreduce(MPI_IN_PLACE, match.data(), 9, MPI_INT64_T, MPI_SUM, where.comm);
  return match;
}

}  // namespace osteon::solve
