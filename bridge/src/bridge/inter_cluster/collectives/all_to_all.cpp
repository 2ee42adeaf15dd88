/// @file
/// All-to-all over several clusters.
#include <bridge/inter_cluster/collectives/collectives.hpp>

namespace osteon::bridge {
namespace {
/// Offset relative to a buffer, or relative to address zero.
const void* at(const std::byte* base, MPI_Aint place) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(place));
}
}  // namespace
/// Remote pairs are ordered such that no congestion occurs. At any time, different ranks send to different destinations.
int all_to_all(const void* out_buffer, side to, void* in_buffer, side from, communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  const auto* base = static_cast<const std::byte*>(out_buffer);
  if (out_buffer == MPI_IN_PLACE) {
    // The data are copied at the start of the call.
    to = from;
    for (std::size_t r = 0; r < from.counts.size(); ++r) {
      const std::byte* there = static_cast<const std::byte*>(in_buffer) + from.places[r];
      void* now = s->temporary(from.counts[r], from.types[r]);
      copy(there, from.counts[r], from.types[r], now, from.counts[r], from.types[r]);
      to.places[r] = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(now));
    }
    base = nullptr;
  }
  auto* t = s->keep(std::move(to));
  auto* f = s->keep(std::move(from));
  s->step([=] {
    const int n = c->size();
    for (int d = 1; d < n; ++d) {
      const int source = (c->rank + n - d) % n;
      const auto i = static_cast<std::size_t>(source);
      if (!c->is_local(source))
        s->receive(static_cast<std::byte*>(in_buffer) + f->places[i], f->counts[i], f->types[i], source);
    }
    for (int d = 1; d < n; ++d) {
      const int dest = (c->rank + d) % n;
      const auto i = static_cast<std::size_t>(dest);
      if (!c->is_local(dest)) s->send(at(base, t->places[i]), t->counts[i], t->types[i], dest);
    }
    for (const int r : c->rank_of) {
      const auto i = static_cast<std::size_t>(r);
      s->receive(static_cast<std::byte*>(in_buffer) + f->places[i], f->counts[i], f->types[i], r);
    }
    for (const int r : c->rank_of) {
      const auto i = static_cast<std::size_t>(r);
      s->send(at(base, t->places[i]), t->counts[i], t->types[i], r);
    }
  });
  return run(std::move(w), out);
}

}  // namespace osteon::bridge
