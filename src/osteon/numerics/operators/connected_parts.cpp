#include <algorithm>
#include <array>
#include <osteon/base/at.hpp>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/numerics/operators/ghosted_cells.hpp>
#include <osteon/voxel/rows_of_runs.hpp>
#include <tuple>

namespace osteon::numerics {

namespace {

// Two pieces of the fluid with a common face. A piece is connected inside the block of a rank.
struct contact_of_pieces {
  std::int32_t a = 0, b = 0;  // numbers of the pieces over all ranks
  std::int32_t axis = -1;     // axis of a crossing from a to b into the next period; -1: none
  std::int32_t step = 0;      // -1: previous period, 1: next period
  friend bool operator==(const contact_of_pieces&, const contact_of_pieces&) = default;
  friend bool operator<(const contact_of_pieces& l, const contact_of_pieces& r) {
    return std::tie(l.a, l.b, l.axis, l.step) < std::tie(r.a, r.b, r.axis, r.step);
  }
};

// Parts as sets of pieces. Each piece has a period relative to the root of its part.
class parts_in_periods {
 public:
  explicit parts_in_periods(std::vector<std::uint8_t> touched) : touched_(std::move(touched)), node_(touched_.size()) {
    for (std::size_t i = 0; i < node_.size(); ++i) node_[i].parent = static_cast<std::int32_t>(i);
    winds_.resize(node_.size());
  }

  void join(const contact_of_pieces& c) {
    const place p = find(c.a), q = find(c.b);
    std::array<std::int32_t, 3> step = p.period;  // period of b, computed from the period of a
    if (c.axis >= 0) step[at(c.axis)] += c.step;
    for (std::size_t a = 0; a < 3; ++a) step[a] -= q.period[a];
    if (p.root == q.root) {
      for (std::size_t a = 0; a < 3; ++a)
        if (step[a] != 0) winds_[at(p.root)] = static_cast<std::uint8_t>(winds_[at(p.root)] | 1U << a);
      return;
    }
    node_[at(q.root)] = {p.root, step};
    winds_[at(p.root)] |= winds_[at(q.root)];
    touched_[at(p.root)] |= touched_[at(q.root)];
  }
  // Axes along which the part of a piece percolates.
  std::uint8_t through(std::int32_t i, bool periodic) {
    const std::size_t root = at(find(i).root);
    if (periodic) return winds_[root];
    std::uint8_t bits = 0;
    for (unsigned a = 0; a < 3; ++a)
      if ((touched_[root] >> (2 * a) & 3) == 3) bits = static_cast<std::uint8_t>(bits | 1U << a);
    return bits;
  }
  std::int32_t root_of(std::int32_t i) { return find(i).root; }
  bool is_root(std::int32_t i) const { return node_[at(i)].parent == i; }

 private:
  struct node {
    std::int32_t parent = 0;
    std::array<std::int32_t, 3> period{};  // relative to the parent
  };
  struct place {
    std::int32_t root;
    std::array<std::int32_t, 3> period;
  };
  place find(std::int32_t i) {
    place result{i, {}};
    while (node_[at(result.root)].parent != result.root) {
      const node& n = node_[at(result.root)];
      for (std::size_t a = 0; a < 3; ++a) result.period[a] += n.period[a];
      result.root = n.parent;
    }
    std::array<std::int32_t, 3> left = result.period;
    while (i != result.root) {  // path compression
      node& n = node_[at(i)];
      const node old = n;
      n = {result.root, left};
      for (std::size_t a = 0; a < 3; ++a) left[a] -= old.period[a];
      i = old.parent;
    }
    return result;
  }

  std::vector<std::uint8_t> touched_, winds_;  // bits of roots
  std::vector<node> node_;
};

// Compute the piece of each run.
std::vector<std::int32_t> number_pieces(const voxel::run_set& cells, std::int32_t& count) {
  const index3 shape = cells.shape();
  const voxel::run* const origin = cells.runs().data();
  disjoint_sets forest(cells.runs().size());
  const auto unite = [&](std::span<const voxel::run> a, std::span<const voxel::run> b) {
    voxel::for_each_meeting(a, b, 0, [&](const voxel::run& p, const voxel::run& q) {
      forest.unite(static_cast<std::int32_t>(&p - origin), static_cast<std::int32_t>(&q - origin));
    });
  };
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      if (y > 0) unite(cells.row(z, y - 1), cells.row(z, y));
      if (z > 0) unite(cells.row(z - 1, y), cells.row(z, y));
    }
  count = 0;
  return forest.number([&](std::int32_t) { ++count; });
}

// Contacts of this rank's pieces with pieces beyond the faces of its block.
std::vector<contact_of_pieces> find_contacts(const grid::block& where, const ghosted_cells& cells,
                                             const std::vector<std::int32_t>& piece_of_cell) {
  std::vector<contact_of_pieces> contacts;
  const auto meet = [&](std::span<const voxel::run> inside, std::span<const voxel::run> beyond, int axis, bool high) {
    const bool leaves = high ? where.owned.end[axis] == where.domain[axis] : where.owned.begin[axis] == 0;
    voxel::for_each_meeting(inside, beyond, 0, [&](const voxel::run& p, const voxel::run& q) {
      contacts.push_back(
          {piece_of_cell[at(p.first)], piece_of_cell[at(q.first)], leaves ? axis : -1, leaves ? (high ? 1 : -1) : 0});
    });
  };
  const index3 shape = cells.shape;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      const auto row = cells.owned_row(z, y), all = cells.row(z, y);
      if (z == 0) meet(row, cells.row(-1, y), 0, false);
      if (z + 1 == shape.z) meet(row, cells.row(shape.z, y), 0, true);
      if (y == 0) meet(row, cells.row(z, -1), 1, false);
      if (y + 1 == shape.y) meet(row, cells.row(z, shape.y), 1, true);
      if (row.empty()) continue;
      const auto along = [&](const voxel::run& own, const voxel::run& ghost, bool high) {
        const bool leaves = high ? where.owned.end.x == where.domain.x : where.owned.begin.x == 0;
        contacts.push_back(
            {piece_of_cell[at(own.first)], piece_of_cell[at(ghost.first)], leaves ? 2 : -1, leaves ? (high ? 1 : -1) : 0});
      };
      if (all.front().x < 0 && row.front().x == 0) along(row.front(), all.front(), false);
      if (all.back().x >= shape.x && row.back().x + row.back().length == shape.x) along(row.back(), all.back(), true);
    }
  std::sort(contacts.begin(), contacts.end());
  contacts.erase(std::unique(contacts.begin(), contacts.end()), contacts.end());
  return contacts;
}

// Outer faces in contact with each piece, bit 2 axis + (1 on the high face).
std::vector<std::uint8_t> touched_faces(const grid::block& where, const voxel::run_set& cells,
                                        const std::vector<std::int32_t>& piece, std::int32_t count) {
  std::vector<std::uint8_t> bits(at(count));
  const auto runs = cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n) {
    const voxel::run& r = runs[n];
    const index3 first = where.owned.begin + index3{r.z, r.y, r.x}, last = first + index3{0, 0, r.length - 1};
    auto& own = bits[at(piece[n])];
    for (int a = 0; a < 3; ++a) {
      if (first[a] == 0) own = static_cast<std::uint8_t>(own | 1U << (2 * a));
      if (last[a] == where.domain[a] - 1) own = static_cast<std::uint8_t>(own | 2U << (2 * a));
    }
  }
  return bits;
}

// The pieces of all ranks, and on rank 0 their connections.
struct pieces_of_ranks {
  std::vector<std::int32_t> piece;  // piece of each run, numbered on this rank
  std::int32_t count = 0;           // number of pieces of this rank
  std::vector<int> counts;          // numbers of pieces of all ranks, on rank 0
  std::vector<contact_of_pieces> contacts;
};

pieces_of_ranks find_pieces(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic) {
  const MPI_Comm comm = where.comm;
  pieces_of_ranks result;
  result.piece = number_pieces(cells, result.count);
  const std::int32_t first = comm::exclusive_sum_over_ranks(comm, result.count);

  const ghosted_cells ghosted = with_ghosts(where, cells, periodic);
  std::vector<std::int32_t> piece_of_cell(at(ghosted.size));
  const auto runs = cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n)
    std::fill_n(piece_of_cell.begin() + runs[n].first, runs[n].length, first + result.piece[n]);
  ghosted.links.exchange(piece_of_cell.data());
  result.contacts = comm::gather_on_first(comm, find_contacts(where, ghosted, piece_of_cell)).values;
  return result;
}

// Scatter values of all pieces from rank 0 to the owners of the pieces.
template <class T>
std::vector<T> scatter_lists(MPI_Comm comm, const std::vector<T>& all, const std::vector<int>& counts, std::int32_t count) {
  const std::vector<int> begin = comm::offsets_of(counts);
  std::vector<T> own(at(count));
  comm::scatter_values(comm, all.data(), counts, begin, own.data(), count);
  return own;
}

}  // namespace

flow_parts find_flow_parts(const grid::block& where, const voxel::run_set& cells, bool periodic, std::uint8_t wanted) {
  const MPI_Comm comm = where.comm;
  const pieces_of_ranks pieces = find_pieces(where, cells, {periodic, periodic, periodic});
  auto [bits, counts] = comm::gather_on_first(comm, touched_faces(where, cells, pieces.piece, pieces.count));
  flow_parts result;
  if (comm::rank(comm) == 0) {
    parts_in_periods parts(bits);
    for (const contact_of_pieces& c : pieces.contacts) parts.join(c);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(bits.size()); ++i) {
      bits[at(i)] = parts.through(i, periodic);
      result.parts += parts.is_root(i);
      result.flowing_parts += parts.is_root(i) && (bits[at(i)] & wanted) != 0;
    }
  }
  result.parts = comm::broadcast_from_first(comm, result.parts);
  result.flowing_parts = comm::broadcast_from_first(comm, result.flowing_parts);
  const auto own = scatter_lists(comm, bits, counts, pieces.count);
  result.through.resize(pieces.piece.size());
  for (std::size_t n = 0; n < pieces.piece.size(); ++n) result.through[n] = own[at(pieces.piece[n])];
  return result;
}

numbered_parts number_flow_parts(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic) {
  const MPI_Comm comm = where.comm;
  const pieces_of_ranks pieces = find_pieces(where, cells, periodic);
  auto [part, counts] = comm::gather_on_first(comm, std::vector<std::int32_t>(at(pieces.count)));
  numbered_parts result;
  if (comm::rank(comm) == 0) {
    parts_in_periods parts(std::vector<std::uint8_t>(part.size()));
    for (const contact_of_pieces& c : pieces.contacts) parts.join(c);
    const auto size = static_cast<std::int32_t>(part.size());
    for (std::int32_t i = 0; i < size; ++i)
      if (parts.is_root(i)) part[at(i)] = result.count++, result.winds.push_back(parts.through(i, true));
    for (std::int32_t i = 0; i < size; ++i)
      if (!parts.is_root(i)) part[at(i)] = part[at(parts.root_of(i))];
  }
  result.count = comm::broadcast_from_first(comm, result.count);
  result.winds.resize(at(result.count));  // zero except on rank 0
  comm::all_reduce(comm, result.winds.data(), result.winds.size(), MPI_BOR);
  const auto own = scatter_lists(comm, part, counts, pieces.count);
  result.of_run.resize(pieces.piece.size());
  for (std::size_t n = 0; n < pieces.piece.size(); ++n) result.of_run[n] = own[at(pieces.piece[n])];
  return result;
}

}  // namespace osteon::numerics
