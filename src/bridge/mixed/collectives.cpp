/// @file
/// Collectives over clusters: the vendor's inside, one exchange between the first ranks of the clusters outside, so that
/// each costs one latency of the wide-area link. Data of clusters are combined in the order of clusters: the result does
/// not depend on timing, and every cluster computes the same one.
#include <cstring>
#include <numeric>

#include "mixed/schedule.hpp"
#include "mixed/world.hpp"

namespace osteon::bridge {
namespace {

using work = std::unique_ptr<schedule>;

work begin(communicator* c) {
  auto s = std::make_unique<schedule>();
  s->comm = c;
  return s;
}

int leader(const communicator* c, int cluster) { return c->members[static_cast<std::size_t>(cluster)].front(); }
int clusters(const communicator* c) { return static_cast<int>(c->members.size()); }
bool leads(const communicator* c) { return c->local_rank() == 0; }

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  vendor().Type_get_extent(type, &lower, &extent);
  return extent;
}

void* element(const void* buffer, MPI_Aint index, MPI_Datatype type) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(buffer)) + index * extent_of(type);
}

void copy(const void* from, MPI_Count n_from, MPI_Datatype from_type, void* to, MPI_Count n_to, MPI_Datatype to_type) {
  const auto bytes = pack(from, n_from, from_type);
  unpack(bytes, bytes.size(), to, n_to, to_type);
}

/// Vendor collectives inside the cluster, by their two forms.
#define OSTEON_LOCAL(s, nonblocking, blocking, ...) (s)->local(vendor().nonblocking, vendor().blocking, __VA_ARGS__)

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

/// Fold the clusters' parts in their order: part[0] op part[1] op ... into `into`, which holds the part `mine`.
void fold(communicator* c, std::vector<void*> part, int mine, void* into, schedule* s, int count, MPI_Datatype type,
          MPI_Op op) {
  const int n = clusters(c);
  void* sum = s->temporary(count, type);
  part[static_cast<std::size_t>(mine)] = into;
  copy(part[static_cast<std::size_t>(n - 1)], count, type, sum, count, type);
  for (int k = n - 2; k >= 0; --k) vendor().Reduce_local(part[static_cast<std::size_t>(k)], sum, count, type, op);
  copy(sum, count, type, into, count, type);
}

bool order_matters(MPI_Op op) {
  int commutes = 1;
  vendor().Op_commutative(op, &commutes);
  return !commutes;
}

int linear_reduce(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, int root, communicator* c,
                  MPI_Request* out);

int reduce(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, int root, communicator* c,
           MPI_Request* out) {
  if (!c->in_order && order_matters(op)) return linear_reduce(in, result, count, type, op, root, c, out);
  work w = begin(c);
  schedule* s = w.get();
  const bool here = c->is_local(root);
  const int local_root = here ? c->local_of[static_cast<std::size_t>(root)] : 0;
  const bool collects = c->local_rank() == local_root;
  void* part = collects && c->rank != root ? s->temporary(count, type) : result;
  s->step([=] { OSTEON_LOCAL(s, Ireduce, Reduce, in, part, count, type, op, local_root); });
  if (c->rank == root) {
    auto* parts = s->keep(std::vector<void*>(c->members.size()));
    s->step([=] {
      for (int k = 0; k < clusters(c); ++k) {
        if (k == c->cluster) continue;
        void* room = (*parts)[static_cast<std::size_t>(k)] = s->temporary(count, type);
        s->receive(room, count, type, leader(c, k));
      }
    });
    s->step([=] { fold(c, *parts, c->cluster, result, s, count, type, op); });
  } else if (collects && !here) {
    s->step([=] { s->send(part, count, type, root); });
  }
  return run(std::move(w), out);
}

/// Steps that leave the sum of all in `result` everywhere.
void add_allreduce(schedule* s, const void* in, void* result, int count, MPI_Datatype type, MPI_Op op) {
  communicator* c = s->comm;
  const void* mine = in == MPI_IN_PLACE && !leads(c) ? result : in;
  s->step([=] { OSTEON_LOCAL(s, Ireduce, Reduce, mine, result, count, type, op, 0); });
  if (leads(c)) {
    auto* parts = s->keep(std::vector<void*>(c->members.size()));
    s->step([=] {
      for (int k = 0; k < clusters(c); ++k) {
        if (k == c->cluster) continue;
        void* room = (*parts)[static_cast<std::size_t>(k)] = s->temporary(count, type);
        s->send(result, count, type, leader(c, k));
        s->receive(room, count, type, leader(c, k));
      }
    });
    s->step([=] { fold(c, *parts, c->cluster, result, s, count, type, op); });
  }
  s->step([=] { local_bcast(s, result, count, type, 0); });
}

int allreduce(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, communicator* c, MPI_Request* out) {
  if (!c->in_order && order_matters(op)) return linear_reduce(in, result, count, type, op, -1, c, out);
  work w = begin(c);
  add_allreduce(w.get(), in, result, count, type, op);
  return run(std::move(w), out);
}

/// Steps that leave every rank's contribution in everybody's `all`, `counts[r]` elements at `places[r]`.
void gather_everywhere(schedule* s, const void* in, int n_in, MPI_Datatype in_type, void* all,
                       const std::vector<int>* counts, const std::vector<int>* places, MPI_Datatype type) {
  communicator* c = s->comm;
  auto* here_counts = s->keep(std::vector<int>());
  auto* here_places = s->keep(std::vector<int>());
  for (const int r : c->rank_of) {
    here_counts->push_back((*counts)[static_cast<std::size_t>(r)]);
    here_places->push_back((*places)[static_cast<std::size_t>(r)]);
  }
  s->step([=] {
    if (c->rank_of.size() == 1) {  // MPICH 4.0 forgets the place when a process is alone
      const int n = here_counts->front();
      if (in != MPI_IN_PLACE) copy(in, n_in, in_type, element(all, here_places->front(), type), n, type);
      return;
    }
    OSTEON_LOCAL(s, Iallgatherv, Allgatherv, in, n_in, in_type, all, static_cast<const int*>(here_counts->data()),
                 static_cast<const int*>(here_places->data()), type);
  });
  // A cluster's part travels as the bytes of its ranks, one after the other.
  auto* blocks = s->keep(std::vector<std::vector<std::byte>>(c->members.size()));
  const auto bytes_of = [=](int k) {
    std::size_t n = 0;
    for (const int r : c->members[static_cast<std::size_t>(k)])
      n += layout_of((*counts)[static_cast<std::size_t>(r)], type).bytes;
    return n;
  };
  s->step([=] {
    for (int k = 0; k < clusters(c); ++k) (*blocks)[static_cast<std::size_t>(k)].resize(bytes_of(k));
    if (!leads(c)) return;
    auto& mine = (*blocks)[static_cast<std::size_t>(c->cluster)];
    mine.clear();
    for (const int r : c->members[static_cast<std::size_t>(c->cluster)]) {
      const auto place = static_cast<std::size_t>(r);
      const auto bytes = pack(element(all, (*places)[place], type), (*counts)[place], type);
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
        const std::size_t bytes = layout_of((*counts)[place], type).bytes;
        unpack({from, from + bytes}, bytes, element(all, (*places)[place], type), (*counts)[place], type);
        from += bytes;
      }
    }
  });
}

std::vector<int> equal_counts(const communicator* c, int count) { return std::vector<int>(c->world.size(), count); }
std::vector<int> equal_places(const communicator* c, int count) {
  std::vector<int> places(c->world.size());
  for (std::size_t r = 0; r < places.size(); ++r) places[r] = static_cast<int>(r) * count;
  return places;
}

int allgatherv(const void* in, int n_in, MPI_Datatype in_type, void* all, std::vector<int> counts, std::vector<int> places,
               MPI_Datatype type, communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  gather_everywhere(s, in, n_in, in_type, all, s->keep(std::move(counts)), s->keep(std::move(places)), type);
  return run(std::move(w), out);
}

/// Everything to everyone, then each folds ranks first..last in order into `result`.
work fold_ranks(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, communicator* c, int last,
                bool keeps) {
  work w = begin(c);
  schedule* s = w.get();
  void* all = s->temporary(static_cast<MPI_Count>(count) * c->size(), type);
  void* mine = s->temporary(count, type);
  copy(in == MPI_IN_PLACE ? result : in, count, type, mine, count, type);
  gather_everywhere(s, mine, count, type, all, s->keep(equal_counts(c, count)), s->keep(equal_places(c, count)), type);
  if (keeps && last >= 0)
    s->step([=] {
      copy(element(all, static_cast<MPI_Aint>(last) * count, type), count, type, result, count, type);
      for (int r = last - 1; r >= 0; --r)
        vendor().Reduce_local(element(all, static_cast<MPI_Aint>(r) * count, type), result, count, type, op);
    });
  return w;
}

int linear_reduce(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, int root, communicator* c,
                  MPI_Request* out) {
  return run(fold_ranks(in, result, count, type, op, c, c->size() - 1, root < 0 || c->rank == root), out);
}

int scan(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, communicator* c, bool exclusive,
         MPI_Request* out) {
  return run(fold_ranks(in, result, count, type, op, c, exclusive ? c->rank - 1 : c->rank, true), out);
}

/// As the sum of everything, of which each keeps its part.
int reduce_scatter(const void* in, void* result, std::vector<int> counts, MPI_Datatype type, MPI_Op op, communicator* c,
                   MPI_Request* out) {
  const int total = std::accumulate(counts.begin(), counts.end(), 0);
  const int before = std::accumulate(counts.begin(), counts.begin() + c->rank, 0);
  const int mine = counts[static_cast<std::size_t>(c->rank)];
  const void* from = in == MPI_IN_PLACE ? result : in;
  work w = begin(c);
  schedule* s = w.get();
  void* sums = s->temporary(total, type);
  if (!c->in_order && order_matters(op)) {
    work whole = fold_ranks(from, sums, total, type, op, c, c->size() - 1, true);
    whole->kept.insert(whole->kept.end(), s->kept.begin(), s->kept.end());
    w = std::move(whole);
  } else {
    add_allreduce(s, from, sums, total, type, op);
  }
  w->step([=] { copy(element(sums, before, type), mine, type, result, mine, type); });
  return run(std::move(w), out);
}

int gatherv(const void* in, int n_in, MPI_Datatype in_type, void* all, std::vector<int> counts, std::vector<int> places,
            MPI_Datatype type, int root, communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  if (!c->is_local(root)) {
    s->step([=] { s->send(in, n_in, in_type, root); });
    return run(std::move(w), out);
  }
  auto* here_counts = s->keep(std::vector<int>());
  auto* here_places = s->keep(std::vector<int>());
  auto* all_counts = s->keep(std::move(counts));
  auto* all_places = s->keep(std::move(places));
  if (c->rank == root)
    for (const int r : c->rank_of) {
      here_counts->push_back((*all_counts)[static_cast<std::size_t>(r)]);
      here_places->push_back((*all_places)[static_cast<std::size_t>(r)]);
    }
  s->step([=] {
    if (c->rank == root)
      for (int r = 0; r < c->size(); ++r)
        if (!c->is_local(r)) {
          const auto place = static_cast<std::size_t>(r);
          s->receive(element(all, (*all_places)[place], type), (*all_counts)[place], type, r);
        }
    OSTEON_LOCAL(s, Igatherv, Gatherv, in, n_in, in_type, all, static_cast<const int*>(here_counts->data()),
                 static_cast<const int*>(here_places->data()), type, c->local_of[static_cast<std::size_t>(root)]);
  });
  return run(std::move(w), out);
}

int scatterv(const void* all, std::vector<int> counts, std::vector<int> places, MPI_Datatype type, void* into, int n_into,
             MPI_Datatype into_type, int root, communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  if (!c->is_local(root)) {
    s->step([=] { s->receive(into, n_into, into_type, root); });
    return run(std::move(w), out);
  }
  auto* here_counts = s->keep(std::vector<int>());
  auto* here_places = s->keep(std::vector<int>());
  auto* all_counts = s->keep(std::move(counts));
  auto* all_places = s->keep(std::move(places));
  if (c->rank == root)
    for (const int r : c->rank_of) {
      here_counts->push_back((*all_counts)[static_cast<std::size_t>(r)]);
      here_places->push_back((*all_places)[static_cast<std::size_t>(r)]);
    }
  s->step([=] {
    if (c->rank == root)
      for (int r = 0; r < c->size(); ++r)
        if (!c->is_local(r)) {
          const auto place = static_cast<std::size_t>(r);
          s->send(element(all, (*all_places)[place], type), (*all_counts)[place], type, r);
        }
    OSTEON_LOCAL(s, Iscatterv, Scatterv, all, static_cast<const int*>(here_counts->data()),
                 static_cast<const int*>(here_places->data()), type, into, n_into, into_type,
                 c->local_of[static_cast<std::size_t>(root)]);
  });
  return run(std::move(w), out);
}

/// One side of an all-to-all, by rank of the communicator; `places` in bytes.
struct side {
  std::vector<int> counts;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
};

side side_of(const communicator* c, const int* counts, const int* places, MPI_Datatype type) {
  side x;
  const auto n = c->world.size();
  const MPI_Aint extent = extent_of(type);
  x.counts.assign(counts, counts + n);
  x.types.assign(n, type);
  for (std::size_t r = 0; r < n; ++r) x.places.push_back(places[r] * extent);
  return x;
}

side side_of(const communicator* c, const int* counts, const int* places, const MPI_Datatype* types) {
  const auto n = c->world.size();
  return {{counts, counts + n}, {places, places + n}, {types, types + n}};
}

side equal_side(const communicator* c, int count, MPI_Datatype type) {
  const auto counts = equal_counts(c, count);
  const auto places = equal_places(c, count);
  return side_of(c, counts.data(), places.data(), type);
}

/// Remote pairs in an order in which at every moment each rank sends to another one, so that nobody is flooded.
int all_to_all(const void* out_buffer, side to, void* in_buffer, side from, communicator* c, MPI_Request* out) {
  work w = begin(c);
  schedule* s = w.get();
  const auto* base = static_cast<const std::byte*>(out_buffer);
  if (out_buffer == MPI_IN_PLACE) {
    // What is sent is what is there now.
    std::size_t bytes = 0;
    for (std::size_t r = 0; r < from.counts.size(); ++r) bytes += layout_of(from.counts[r], from.types[r]).bytes;
    auto* now = s->keep(std::vector<std::byte>());
    now->reserve(bytes);
    to = {};
    for (std::size_t r = 0; r < from.counts.size(); ++r) {
      const auto part = pack(static_cast<const std::byte*>(in_buffer) + from.places[r], from.counts[r], from.types[r]);
      to.places.push_back(static_cast<MPI_Aint>(now->size()));
      to.counts.push_back(static_cast<int>(part.size()));
      to.types.push_back(MPI_BYTE);
      now->insert(now->end(), part.begin(), part.end());
    }
    base = now->data();
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
      if (!c->is_local(dest)) s->send(base + t->places[i], t->counts[i], t->types[i], dest);
    }
    for (const int r : c->rank_of) {
      const auto i = static_cast<std::size_t>(r);
      s->receive(static_cast<std::byte*>(in_buffer) + f->places[i], f->counts[i], f->types[i], r);
    }
    for (const int r : c->rank_of) {
      const auto i = static_cast<std::size_t>(r);
      s->send(base + t->places[i], t->counts[i], t->types[i], r);
    }
  });
  return run(std::move(w), out);
}

/// A function of the standard in its two forms, ours or the vendor's. A blocking call of the vendor waits inside the
/// vendor, so it is made only when nothing else needs this thread; else its nonblocking form is.
template <auto name, auto iname, auto ours>
struct forms;

template <auto name, auto iname, class... A, int (*ours)(communicator*, MPI_Request*, A...)>
struct forms<name, iname, ours> {
  static int call(A... a, MPI_Comm comm) {
    if (communicator* c = find(comm)) return ours(c, nullptr, a...);
    if (may_block()) return (vendor().*name)(a..., comm);
    MPI_Request request = MPI_REQUEST_NULL;
    const int e = (vendor().*iname)(a..., comm, &request);
    return e != MPI_SUCCESS ? e : active.Wait(&request, MPI_STATUS_IGNORE);
  }
  static int start(A... a, MPI_Comm comm, MPI_Request* out) {
    if (communicator* c = find(comm)) return ours(c, out, a...);
    return (vendor().*iname)(a..., comm, out);
  }
};

template <auto name, auto iname, auto ours>
void put(slots& s) {
  s.*name = forms<name, iname, ours>::call;
  s.*iname = forms<name, iname, ours>::start;
}

using counts_t = const int*;
using types_t = const MPI_Datatype*;

std::vector<int> copied(counts_t from, const communicator* c, bool significant = true) {
  return significant ? std::vector<int>(from, from + c->size()) : std::vector<int>();
}

/// Places of equal parts are int, as in the standard's functions with counts.
bool too_many(const communicator* c, int count) { return static_cast<long>(count) * c->size() > INT32_MAX; }

int bcast_entry(communicator* c, MPI_Request* out, void* b, int n, MPI_Datatype t, int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  return bcast(b, n, t, root, c, out);
}

int reduce_entry(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype t, MPI_Op op, int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  return reduce(a, b, n, t, op, root, c, out);
}

int allreduce_entry(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype t, MPI_Op op) {
  return allreduce(a, b, n, t, op, c, out);
}

int scan_entry(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype t, MPI_Op op) {
  return too_many(c, n) ? raise(c, MPI_ERR_COUNT) : scan(a, b, n, t, op, c, false, out);
}

int exscan_entry(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype t, MPI_Op op) {
  return too_many(c, n) ? raise(c, MPI_ERR_COUNT) : scan(a, b, n, t, op, c, true, out);
}

int reduce_scatter_entry(communicator* c, MPI_Request* out, const void* a, void* b, counts_t counts, MPI_Datatype t,
                         MPI_Op op) {
  return reduce_scatter(a, b, copied(counts, c), t, op, c, out);
}

int reduce_scatter_block_entry(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype t, MPI_Op op) {
  return too_many(c, n) ? raise(c, MPI_ERR_COUNT) : reduce_scatter(a, b, equal_counts(c, n), t, op, c, out);
}

int gather_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u,
                 int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  if (c->rank != root) return gatherv(a, n, t, b, {}, {}, u, root, c, out);
  return too_many(c, m) ? raise(c, MPI_ERR_COUNT)
                        : gatherv(a, n, t, b, equal_counts(c, m), equal_places(c, m), u, root, c, out);
}

int gatherv_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, counts_t counts,
                  counts_t places, MPI_Datatype u, int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  return gatherv(a, n, t, b, copied(counts, c, c->rank == root), copied(places, c, c->rank == root), u, root, c, out);
}

int scatter_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u,
                  int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  if (c->rank != root) return scatterv(a, {}, {}, t, b, m, u, root, c, out);
  return too_many(c, n) ? raise(c, MPI_ERR_COUNT)
                        : scatterv(a, equal_counts(c, n), equal_places(c, n), t, b, m, u, root, c, out);
}

int scatterv_entry(communicator* c, MPI_Request* out, const void* a, counts_t counts, counts_t places, MPI_Datatype t,
                   void* b, int m, MPI_Datatype u, int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  return scatterv(a, copied(counts, c, c->rank == root), copied(places, c, c->rank == root), t, b, m, u, root, c, out);
}

int allgather_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m,
                    MPI_Datatype u) {
  if (too_many(c, m)) return raise(c, MPI_ERR_COUNT);
  return allgatherv(a, n, t, b, equal_counts(c, m), equal_places(c, m), u, c, out);
}

int allgatherv_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, counts_t counts,
                     counts_t places, MPI_Datatype u) {
  return allgatherv(a, n, t, b, copied(counts, c), copied(places, c), u, c, out);
}

int alltoall_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u) {
  const bool in_place = a == MPI_IN_PLACE;
  if (too_many(c, m) || (!in_place && too_many(c, n))) return raise(c, MPI_ERR_COUNT);
  return all_to_all(a, in_place ? side{} : equal_side(c, n, t), b, equal_side(c, m, u), c, out);
}

int alltoallv_entry(communicator* c, MPI_Request* out, const void* a, counts_t n, counts_t x, MPI_Datatype t, void* b,
                    counts_t m, counts_t y, MPI_Datatype u) {
  return all_to_all(a, a == MPI_IN_PLACE ? side{} : side_of(c, n, x, t), b, side_of(c, m, y, u), c, out);
}

int alltoallw_entry(communicator* c, MPI_Request* out, const void* a, counts_t n, counts_t x, types_t t, void* b, counts_t m,
                    counts_t y, types_t u) {
  return all_to_all(a, a == MPI_IN_PLACE ? side{} : side_of(c, n, x, t), b, side_of(c, m, y, u), c, out);
}

int barrier_entry(communicator* c, MPI_Request* out) { return barrier(c, out); }

}  // namespace

int blocking_allgather(communicator* c, const void* mine, int bytes, void* all) noexcept {
  return allgatherv(mine, bytes, MPI_BYTE, all, equal_counts(c, bytes), equal_places(c, bytes), MPI_BYTE, c, nullptr);
}

void install_collectives(slots& s) noexcept {
  put<&slots::Barrier, &slots::Ibarrier, barrier_entry>(s);
  put<&slots::Bcast, &slots::Ibcast, bcast_entry>(s);
  put<&slots::Reduce, &slots::Ireduce, reduce_entry>(s);
  put<&slots::Allreduce, &slots::Iallreduce, allreduce_entry>(s);
  put<&slots::Scan, &slots::Iscan, scan_entry>(s);
  put<&slots::Exscan, &slots::Iexscan, exscan_entry>(s);
  put<&slots::Reduce_scatter, &slots::Ireduce_scatter, reduce_scatter_entry>(s);
  put<&slots::Reduce_scatter_block, &slots::Ireduce_scatter_block, reduce_scatter_block_entry>(s);
  put<&slots::Gather, &slots::Igather, gather_entry>(s);
  put<&slots::Gatherv, &slots::Igatherv, gatherv_entry>(s);
  put<&slots::Scatter, &slots::Iscatter, scatter_entry>(s);
  put<&slots::Scatterv, &slots::Iscatterv, scatterv_entry>(s);
  put<&slots::Allgather, &slots::Iallgather, allgather_entry>(s);
  put<&slots::Allgatherv, &slots::Iallgatherv, allgatherv_entry>(s);
  put<&slots::Alltoall, &slots::Ialltoall, alltoall_entry>(s);
  put<&slots::Alltoallv, &slots::Ialltoallv, alltoallv_entry>(s);
  put<&slots::Alltoallw, &slots::Ialltoallw, alltoallw_entry>(s);
}

}  // namespace osteon::bridge
