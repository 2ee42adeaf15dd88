/// @file
/// Collectives that move data over clusters, and do not change the data.
#include <bridge/inter_cluster/collectives/collectives.hpp>

namespace osteon::bridge {

void copy(const void* from, MPI_Count n_from, MPI_Datatype from_type, void* to, MPI_Count n_to, MPI_Datatype to_type) {
  const auto bytes = pack(from, n_from, from_type);
  unpack(bytes.data(), bytes.size(), to, n_to, to_type);
}

parts::parts(const communicator* c, std::vector<int> all_counts, std::vector<int> all_places)
    : counts(std::move(all_counts)), places(std::move(all_places)) {
  for (const int r : c->rank_of) {
    here_counts.push_back(counts[static_cast<std::size_t>(r)]);
    here_places.push_back(places[static_cast<std::size_t>(r)]);
  }
}

std::vector<int> equal_counts(const communicator* c, int count) { return std::vector<int>(c->world.size(), count); }
std::vector<int> equal_places(const communicator* c, int count) {
  std::vector<int> places(c->world.size());
  for (std::size_t r = 0; r < places.size(); ++r) places[r] = static_cast<int>(r) * count;
  return places;
}

namespace {

void local_barrier(schedule* s) {
  if (s->comm->rank_of.size() == 1) return;
  if (s->blocking && may_block()) {
    vendor().Barrier(s->comm->shadow);
    return;
  }
  MPI_Request r = MPI_REQUEST_NULL;
  vendor().Ibarrier(s->comm->shadow, &r);
  s->pending.push_back(r);
}

}  // namespace

void local_bcast(schedule* s, void* buffer, int count, MPI_Datatype type, int local_root) {
  if (s->comm->rank_of.size() > 1) OSTEON_LOCAL(s, Ibcast, Bcast, buffer, count, type, local_root);
}

int barrier(communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  s->step([=] { local_barrier(s); });
  if (leads(c))
    s->step([=] {
      for (int k = 0; k < clusters(c); ++k)
        if (k != c->cluster) s->send(nullptr, 0, MPI_BYTE, leader(c, k)), s->receive(nullptr, 0, MPI_BYTE, leader(c, k));
    });
  s->step([=] { local_barrier(s); });
  return run(std::move(w), out);
}

int bcast(void* buffer, int count, MPI_Datatype type, int root, communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  const bool here = c->is_local(root);
  s->step([=] {
    if (c->rank == root) {
      for (int k = 0; k < clusters(c); ++k)
        if (k != c->cluster) s->send(buffer, count, type, leader(c, k));
    } else if (!here && leads(c)) {
      s->receive(buffer, count, type, root);
    }
    if (here) local_bcast(s, buffer, count, type, c->local_of[static_cast<std::size_t>(root)]);
  });
  if (!here) s->step([=] { local_bcast(s, buffer, count, type, 0); });
  return run(std::move(w), out);
}

void gather_everywhere(schedule* s, const void* in, int n_in, MPI_Datatype in_type, void* all, parts given,
                       MPI_Datatype type) {
  communicator* c = s->comm;
  const parts* where = s->keep(std::move(given));
  s->step([=] {
    if (c->rank_of.size() == 1) {  // MPICH 4.0 ignores the displacement of a single process
      const int n = where->here_counts.front();
      if (in != MPI_IN_PLACE) copy(in, n_in, in_type, element(all, where->here_places.front(), type), n, type);
      return;
    }
    OSTEON_LOCAL(s, Iallgatherv, Allgatherv, in, n_in, in_type, all, where->here_counts.data(), where->here_places.data(),
                 type);
  });
  // The part of a cluster is sent as the concatenated bytes of its ranks.
  auto* blocks = s->keep(std::vector<std::vector<std::byte>>(c->members.size()));
  const auto bytes_of = [=](int k) {
    std::size_t n = 0;
    for (const int r : c->members[static_cast<std::size_t>(k)])
      n += layout_of_message(where->counts[static_cast<std::size_t>(r)], type).bytes;
    return n;
  };
  s->step([=] {
    for (int k = 0; k < clusters(c); ++k) (*blocks)[static_cast<std::size_t>(k)].resize(bytes_of(k));
    if (!leads(c)) return;
    auto& mine = (*blocks)[static_cast<std::size_t>(c->cluster)];
    mine.clear();
    for (const int r : c->members[static_cast<std::size_t>(c->cluster)]) {
      const auto place = static_cast<std::size_t>(r);
      const auto bytes = pack_message(element(all, where->places[place], type), where->counts[place], type);
      mine.insert(mine.end(), bytes.begin(), bytes.end());
    }
    for (int k = 0; k < clusters(c); ++k) {
      if (k == c->cluster) continue;
      auto& theirs = (*blocks)[static_cast<std::size_t>(k)];
      s->send(mine.data(), static_cast<MPI_Count>(mine.size()), MPI_BYTE, leader(c, k));
      s->receive(theirs.data(), static_cast<MPI_Count>(theirs.size()), MPI_BYTE, leader(c, k));
    }
  });
  for (int k = 0; k < clusters(c); ++k)
    if (k != c->cluster)
      s->step([=] {
        auto& block = (*blocks)[static_cast<std::size_t>(k)];
        local_bcast(s, block.data(), static_cast<int>(block.size()), MPI_BYTE, 0);
      });
  s->step([=] {
    for (int k = 0; k < clusters(c); ++k) {
      if (k == c->cluster) continue;
      const std::byte* from = (*blocks)[static_cast<std::size_t>(k)].data();
      for (const int r : c->members[static_cast<std::size_t>(k)]) {
        const auto place = static_cast<std::size_t>(r);
        const std::size_t bytes = layout_of_message(where->counts[place], type).bytes;
        unpack_message(from, bytes, element(all, where->places[place], type), where->counts[place], type);
        from += bytes;
      }
    }
  });
}

int allgatherv(const void* in, int n_in, MPI_Datatype in_type, void* all, parts where, MPI_Datatype type, communicator* c,
               MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  gather_everywhere(s, in, n_in, in_type, all, std::move(where), type);
  return run(std::move(w), out);
}

namespace {

/// Call f(part of `all`, count of the part, rank) for each rank of other clusters.
template <class F>
void for_parts_elsewhere(const communicator* c, const void* all, const parts& where, MPI_Datatype type, F f) {
  for (int r = 0; r < c->size(); ++r) {
    const auto place = static_cast<std::size_t>(r);
    if (!c->is_local(r)) f(element(all, where.places[place], type), where.counts[place], r);
  }
}

}  // namespace

int gatherv(const void* in, int n_in, MPI_Datatype in_type, void* all, parts given, MPI_Datatype type, int root,
            communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  if (!c->is_local(root)) {
    s->step([=] { s->send(in, n_in, in_type, root); });
    return run(std::move(w), out);
  }
  const parts* where = s->keep(std::move(given));
  s->step([=] {
    if (c->rank == root)
      for_parts_elsewhere(c, all, *where, type, [&](void* part, int n, int r) { s->receive(part, n, type, r); });
    OSTEON_LOCAL(s, Igatherv, Gatherv, in, n_in, in_type, all, where->here_counts.data(), where->here_places.data(), type,
                 c->local_of[static_cast<std::size_t>(root)]);
  });
  return run(std::move(w), out);
}

int scatterv(const void* all, parts given, MPI_Datatype type, void* into, int n_into, MPI_Datatype into_type, int root,
             communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  if (!c->is_local(root)) {
    s->step([=] { s->receive(into, n_into, into_type, root); });
    return run(std::move(w), out);
  }
  const parts* where = s->keep(std::move(given));
  s->step([=] {
    if (c->rank == root)
      for_parts_elsewhere(c, all, *where, type, [&](void* part, int n, int r) { s->send(part, n, type, r); });
    OSTEON_LOCAL(s, Iscatterv, Scatterv, all, where->here_counts.data(), where->here_places.data(), type, into, n_into,
                 into_type, c->local_of[static_cast<std::size_t>(root)]);
  });
  return run(std::move(w), out);
}

}  // namespace osteon::bridge
