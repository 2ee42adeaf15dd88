#include <osteon/solve/percolation.hpp>

#include <osteon/comm/together.hpp>

#include <algorithm>
#include <array>
#include <numeric>

namespace osteon::solve {

namespace {

constexpr int tag = 32;

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

std::vector<std::uint8_t> reached_faces(const grid::block& where, const voxel::run_set& cells, axis along) {
  const auto runs = cells.runs();
  const index3 shape = cells.shape();
  run_forest forest(runs.size());
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      if (y > 0) unite_rows(forest, runs.data(), cells.row(z, y - 1), cells.row(z, y));
      if (z > 0) unite_rows(forest, runs.data(), cells.row(z - 1, y), cells.row(z, y));
    }

  std::vector<std::uint8_t> bits(runs.size(), reaches_none);  // of a set: at its root
  const auto root_bits = [&](std::size_t i) -> std::uint8_t& {
    return bits[static_cast<std::size_t>(forest.root(static_cast<std::int32_t>(i)))];
  };
  const std::int64_t extent = where.domain[static_cast<int>(along)];
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const voxel::run& r = runs[i];
    const std::int64_t first = along == axis::z ? r.z - 1 + where.owned.begin.z : along == axis::y ? r.y : r.x;
    const std::int64_t last = along == axis::x ? first + r.length - 1 : first;
    if (first == 0) root_bits(i) |= reaches_low;
    if (last == extent - 1) root_bits(i) |= reaches_high;
  }

  // Planes that are exchanged: the outermost owned one goes out, the ghost one beyond it comes in.
  struct side {
    int rank;
    std::size_t send, send_count, receive, receive_count;
  };
  const auto plane = [&](std::int64_t z) {
    const auto p = cells.plane(z);
    return std::pair{static_cast<std::size_t>(p.data() - runs.data()), p.size()};
  };
  const auto [low_ghost, low_ghosts] = plane(0);
  const auto [low, lows] = plane(1);
  const auto [high, highs] = plane(shape.z - 2);
  const auto [high_ghost, high_ghosts] = plane(shape.z - 1);
  const std::array<side, 2> sides{side{where.below, low, lows, low_ghost, low_ghosts},
                                  side{where.above, high, highs, high_ghost, high_ghosts}};
  for (int changed = 1; changed != 0;) {
    changed = 0;
    std::array<std::vector<std::uint8_t>, 2> out, in;
    std::array<MPI_Request, 4> requests;
    for (std::size_t s = 0; s < 2; ++s) {
      for (std::size_t i = 0; i < sides[s].send_count; ++i) out[s].push_back(root_bits(sides[s].send + i));
      in[s].resize(sides[s].receive_count);
    }
    for (std::size_t s = 0; s < 2; ++s) {
      MPI_Irecv(in[s].data(), static_cast<int>(in[s].size()), MPI_BYTE, sides[s].rank, tag, where.comm, &requests[2 * s]);
      MPI_Isend(out[s].data(), static_cast<int>(out[s].size()), MPI_BYTE, sides[s].rank, tag, where.comm,
                &requests[2 * s + 1]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t i = 0; i < sides[s].receive_count; ++i) {
        std::uint8_t& have = root_bits(sides[s].receive + i);
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

}  // namespace osteon::solve
