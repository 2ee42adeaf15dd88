#include <osteon/grid/ghost_cells.hpp>

#include <osteon/grid/redistribute.hpp>

namespace osteon::grid {

box3 with_ghosts(const block& where, int depth) { return overlap(grown(where.owned, depth), {{}, where.domain}); }

template <class T>
ghosted_field<T> with_ghost_cells(const block& where, const std::vector<T>& owned, int depth) {
  const box3 present = with_ghosts(where, depth);
  const std::vector<piece> receive = pieces_of(*where.boxes, present);
  std::vector<piece> send;  // whose voxels I need, needs mine
  for (const piece& p : receive) send.push_back({p.rank, overlap(grown(where.boxes->box_of(p.rank), depth), where.owned)});
  return {present, exchange_pieces<T>(where.comm, where.owned, owned, send, present, receive)};
}

template ghosted_field<float> with_ghost_cells(const block&, const std::vector<float>&, int);

}  // namespace osteon::grid
