#include <osteon/grid/ghost_cells.hpp>

#include <osteon/comm/communicator.hpp>
#include <osteon/grid/redistribute.hpp>

namespace osteon::grid {

box3 with_ghosts(const block& where, int depth) { return overlap(grown(where.owned, depth), {{}, where.domain}); }

namespace {

struct ghost_pieces {
  box3 present;
  std::vector<piece> send, receive;
};

ghost_pieces pieces_around(const block& where, int depth) {
  ghost_pieces p{with_ghosts(where, depth), {}, {}};
  p.receive = pieces_of(*where.boxes, p.present);
  // the relation is symmetric: the owners of this rank's ghosts have ghosts that this rank owns
  for (const piece& r : p.receive)
    p.send.push_back({r.rank, overlap(grown(where.boxes->box_of(r.rank), depth), where.owned)});
  return p;
}

constexpr const char* name_of_ghosts = "ghost cells for rays";

}  // namespace

plan::neighbour_part plan_of_ghost_cells(const block& where, int depth) {
  const ghost_pieces p = pieces_around(where, depth);
  return plan_of_pieces(where.owned, p.send, p.present, p.receive, name_of_ghosts);
}

template <class T>
ghosted_field<T> with_ghost_cells(const block& where, const std::vector<T>& owned, int depth) {
  if (comm::size(where.comm) == 1) return {where.owned, owned};  // the block is the whole domain
  const ghost_pieces p = pieces_around(where, depth);
  return {p.present, exchange_pieces<T>(where.comm, where.owned, owned, p.send, p.present, p.receive, 1, name_of_ghosts)};
}

template ghosted_field<float> with_ghost_cells(const block&, const std::vector<float>&, int);

}  // namespace osteon::grid
