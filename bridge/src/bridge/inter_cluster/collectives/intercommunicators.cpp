#include <bridge/inter_cluster/collectives/intercommunicators.hpp>

#include <bridge/inter_cluster/collectives/collectives.hpp>
#include <numeric>

namespace osteon::bridge::inter {
namespace {

/// Call f(rank in the other group) for all ranks of the other group. The first rank is the own rank. At any time, different
/// ranks therefore send to different destinations.
template <class F>
void for_others(const communicator* c, F f) {
  for (int i = 0; i < c->size(); ++i) f((c->rank + i) % c->size());
}

/// A step of messages to and from the other group, as a call `f(send, receive)`. The arguments of `send` and `receive` are
/// (buffer, count, type, rank in the other group).
template <class F>
int messages(communicator* c, MPI_Request* out, F f) {
  work w = begin(c->inter->both);
  schedule* s = w.get();
  const int first = c->inter->first_other;
  s->step([=] {
    f([=](const void* b, int n, MPI_Datatype t, int r) { s->send(b, n, t, first + r); },
      [=](void* b, int n, MPI_Datatype t, int r) { s->receive(b, n, t, first + r); });
  });
  return run(std::move(w), out);
}

bool bad_root(const communicator* c, int root) {
  return root != MPI_ROOT && root != MPI_PROC_NULL && (root < 0 || root >= c->size());
}

/// Displacement of block r. The displacement is places[r], or that of contiguous blocks.
struct blocks_of {
  std::vector<int> counts;
  std::vector<MPI_Aint> places;  ///< displacements in bytes
  std::vector<MPI_Datatype> types;
  blocks_of(const communicator* c, int n, MPI_Datatype t)
      : counts(c->world.size(), n), places(c->world.size()), types(c->world.size(), t) {
    for (std::size_t r = 0; r < places.size(); ++r) places[r] = static_cast<MPI_Aint>(r) * n * extent_of(t);
  }
  blocks_of(const communicator* c, const int* n, const int* x, MPI_Datatype t)
      : counts(n, n + c->size()), types(c->world.size(), t) {
    for (int r = 0; r < c->size(); ++r) places.push_back(x[r] * extent_of(t));
  }
  blocks_of(const communicator* c, const int* n, const int* x, const MPI_Datatype* t)
      : counts(n, n + c->size()), places(x, x + c->size()), types(t, t + c->size()) {}
  template <class F>
  void at(int rank, const void* buffer, F f) const {
    const auto r = static_cast<std::size_t>(rank);
    void* place = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(places[r]));
    f(place, counts[r], types[r], rank);
  }
};

int gather_blocks(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int root,
                  const blocks_of& from) {
  return messages(c, out, [=](auto send, auto receive) {
    if (root == MPI_ROOT) for_others(c, [&](int r) { from.at(r, b, receive); });
    if (root >= 0) send(a, n, t, root);
  });
}

int scatter_blocks(communicator* c, MPI_Request* out, const void* a, const blocks_of& to, void* b, int m, MPI_Datatype u,
                   int root) {
  return messages(c, out, [=](auto send, auto receive) {
    if (root == MPI_ROOT) for_others(c, [&](int r) { to.at(r, a, send); });
    if (root >= 0) receive(b, m, u, root);
  });
}

int exchange_blocks(communicator* c, MPI_Request* out, const void* a, const blocks_of& to, void* b, const blocks_of& from) {
  return messages(c, out, [=](auto send, auto receive) {
    for_others(c, [&](int r) { from.at(r, b, receive); });
    for_others(c, [&](int r) { to.at(r, a, send); });
  });
}

/// Steps that store the sum of the values of the other group in `result`. The values are summed in the order of ranks. If
/// requested, the steps also send `sent` to all ranks of the other group.
void add_sum_of_others(schedule* s, communicator* c, void* result, int n, MPI_Datatype type, MPI_Op op, const void* sent,
                       bool sends) {
  auto* parts = s->keep(std::vector<void*>(c->world.size()));
  for (void*& part : *parts) part = s->temporary(n, type);
  const int first = c->inter->first_other, last = c->size() - 1;
  s->step([=] {
    for_others(c, [&](int r) { s->receive((*parts)[static_cast<std::size_t>(r)], n, type, first + r); });
    if (sends) for_others(c, [&](int r) { s->send(sent, n, type, first + r); });
  });
  s->step([=] {
    copy((*parts)[static_cast<std::size_t>(last)], n, type, result, n, type);
    for (int r = last - 1; r >= 0; --r) vendor().Reduce_local((*parts)[static_cast<std::size_t>(r)], result, n, type, op);
  });
}

/// Elements [first, first + mine) of the sum of the values of the other group.
int part_of_sum(communicator* c, MPI_Request* out, const void* a, void* b, int total, int first, int mine, MPI_Datatype type,
                MPI_Op op) {
  work w = begin(c->inter->both);
  schedule* s = w.get();
  void* sums = s->temporary(total, type);
  add_sum_of_others(s, c, sums, total, type, op, a, true);
  s->step([=] { copy(element(sums, first, type), mine, type, b, mine, type); });
  return run(std::move(w), out);
}

}  // namespace

int barrier(communicator* c, MPI_Request* out) { return bridge::barrier(c->inter->both, out); }

int bcast(communicator* c, MPI_Request* out, void* buffer, int n, MPI_Datatype type, int root) {
  if (bad_root(c, root)) return raise(c, MPI_ERR_ROOT);
  return messages(c, out, [=](auto send, auto receive) {
    if (root == MPI_ROOT) for_others(c, [&](int r) { send(buffer, n, type, r); });
    if (root >= 0) receive(buffer, n, type, root);
  });
}

int reduce(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype type, MPI_Op op, int root) {
  if (bad_root(c, root)) return raise(c, MPI_ERR_ROOT);
  if (root != MPI_ROOT)
    return messages(c, out, [=](auto send, auto) {
      if (root >= 0) send(a, n, type, root);
    });
  work w = begin(c->inter->both);
  add_sum_of_others(w.get(), c, b, n, type, op, nullptr, false);
  return run(std::move(w), out);
}

int allreduce(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype type, MPI_Op op) {
  work w = begin(c->inter->both);
  add_sum_of_others(w.get(), c, b, n, type, op, a, true);
  return run(std::move(w), out);
}

int reduce_scatter(communicator* c, MPI_Request* out, const void* a, void* b, const int* counts, MPI_Datatype type,
                   MPI_Op op) {
  const int* end = counts + c->inter->own.size();
  return part_of_sum(c, out, a, b, std::accumulate(counts, end, 0), std::accumulate(counts, counts + c->rank, 0),
                     counts[c->rank], type, op);
}

int reduce_scatter_block(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype type, MPI_Op op) {
  return part_of_sum(c, out, a, b, n * static_cast<int>(c->inter->own.size()), n * c->rank, n, type, op);
}

int gather(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u,
           int root) {
  if (bad_root(c, root)) return raise(c, MPI_ERR_ROOT);
  return gather_blocks(c, out, a, n, t, b, root, root == MPI_ROOT ? blocks_of(c, m, u) : blocks_of(c, 0, MPI_BYTE));
}

int gatherv(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, const int* m, const int* y,
            MPI_Datatype u, int root) {
  if (bad_root(c, root)) return raise(c, MPI_ERR_ROOT);
  return gather_blocks(c, out, a, n, t, b, root, root == MPI_ROOT ? blocks_of(c, m, y, u) : blocks_of(c, 0, MPI_BYTE));
}

int scatter(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u,
            int root) {
  if (bad_root(c, root)) return raise(c, MPI_ERR_ROOT);
  return scatter_blocks(c, out, a, root == MPI_ROOT ? blocks_of(c, n, t) : blocks_of(c, 0, MPI_BYTE), b, m, u, root);
}

int scatterv(communicator* c, MPI_Request* out, const void* a, const int* n, const int* x, MPI_Datatype t, void* b, int m,
             MPI_Datatype u, int root) {
  if (bad_root(c, root)) return raise(c, MPI_ERR_ROOT);
  return scatter_blocks(c, out, a, root == MPI_ROOT ? blocks_of(c, n, x, t) : blocks_of(c, 0, MPI_BYTE), b, m, u, root);
}

namespace {
/// Equal blocks for all ranks.
blocks_of repeated(const communicator* c, int n, MPI_Datatype t) {
  blocks_of b(c, n, t);
  b.places.assign(b.places.size(), 0);
  return b;
}
}  // namespace

int allgather(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u) {
  return exchange_blocks(c, out, a, repeated(c, n, t), b, blocks_of(c, m, u));
}

int allgatherv(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, const int* m, const int* y,
               MPI_Datatype u) {
  return exchange_blocks(c, out, a, repeated(c, n, t), b, blocks_of(c, m, y, u));
}

int alltoall(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u) {
  return exchange_blocks(c, out, a, blocks_of(c, n, t), b, blocks_of(c, m, u));
}

int alltoallv(communicator* c, MPI_Request* out, const void* a, const int* n, const int* x, MPI_Datatype t, void* b,
              const int* m, const int* y, MPI_Datatype u) {
  return exchange_blocks(c, out, a, blocks_of(c, n, x, t), b, blocks_of(c, m, y, u));
}

int alltoallw(communicator* c, MPI_Request* out, const void* a, const int* n, const int* x, const MPI_Datatype* t, void* b,
              const int* m, const int* y, const MPI_Datatype* u) {
  return exchange_blocks(c, out, a, blocks_of(c, n, x, t), b, blocks_of(c, m, y, u));
}

}  // namespace osteon::bridge::inter
