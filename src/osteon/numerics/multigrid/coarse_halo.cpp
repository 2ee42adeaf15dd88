#include <osteon/base/at.hpp>
#include <osteon/numerics/multigrid/coarse_halo.hpp>
#include <unordered_map>

namespace osteon::numerics {

coarse_halo make_coarse_halo(const halo& fine, const std::vector<std::int32_t>& parent, std::int32_t owned,
                             std::int32_t ghosts) {
  coarse_halo coarse;
  coarse.between.comm = fine.comm;
  coarse.between.name = fine.name;
  coarse.of_ghost.assign(at(ghosts), 0);
  const std::size_t links = fine.links.size();
  if (links == 0) return coarse;
  std::vector<std::vector<std::int32_t>> tell(links);
  std::vector<std::size_t> seen_by(at(owned), links);
  for (std::size_t n = 0; n < links; ++n) {
    const halo_link& from = fine.links[n];
    halo_link& link = coarse.between.links.emplace_back(halo_link{from.rank, from.side, {}, 0, 0});
    for (const std::int32_t i : from.send) {
      const std::int32_t p = parent[at(i)];
      tell[n].push_back(p);
      if (seen_by[at(p)] != n) link.send.push_back(p);
      seen_by[at(p)] = n;
    }
  }
  // Ghosts are in the order of first occurrence in the `send` list of the owner.
  const auto came = fine.swap(tell);
  std::int32_t next = owned;
  for (std::size_t n = 0; n < links; ++n) {
    halo_link& link = coarse.between.links[n];
    link.ghost_begin = next;
    std::unordered_map<std::int32_t, std::int32_t> known;
    for (std::size_t k = 0; k < came[n].size(); ++k) {
      const auto [entry, is_new] = known.try_emplace(came[n][k], next);
      if (is_new) ++next;
      coarse.of_ghost[at(fine.links[n].ghost_begin) - parent.size() + k] = entry->second;
    }
    link.ghost_count = next - link.ghost_begin;
  }
  coarse.ghosts = next - owned;
  return coarse;
}

}  // namespace osteon::numerics
