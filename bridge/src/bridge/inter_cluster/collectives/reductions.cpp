/// @file
/// Reductions over several clusters.
#include <bridge/inter_cluster/collectives/collectives.hpp>
#include <numeric>

namespace osteon::bridge {
namespace {

/// Combine the parts of the clusters in order: part[0] op part[1] op ... `into` receives the result. Before the call, `into`
/// contains the part `mine`.
void fold(communicator* c, std::vector<void*> part, int mine, void* into, schedule* s, int count, MPI_Datatype type,
          MPI_Op op) {
  const int n = clusters(c);
  void* sum = s->temporary(count, type);
  part[static_cast<std::size_t>(mine)] = into;
  copy(part[static_cast<std::size_t>(n - 1)], count, type, sum, count, type);
  for (int k = n - 2; k >= 0; --k) vendor().Reduce_local(part[static_cast<std::size_t>(k)], sum, count, type, op);
  copy(sum, count, type, into, count, type);
}

/// True if the values of all ranks are combined in the order of ranks. Otherwise, the MPI library of each cluster combines
/// the values of the cluster. The results of the clusters are then combined.
bool takes_ranks(const communicator* c, MPI_Op op) {
  if (world().in_order_of_ranks) return true;
  int commutes = 1;
  vendor().Op_commutative(op, &commutes);
  return !commutes && !c->in_order;
}

/// Gather all values on all ranks. Then combine the values of the ranks [first, last] in order, and store the result in
/// `result`.
work fold_ranks(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, communicator* c, int last,
                bool keeps) {
  work w = begin(c);
  schedule* s = w.get();
  void* all = s->temporary(static_cast<MPI_Count>(count) * c->size(), type);
  void* mine = s->temporary(count, type);
  copy(in == MPI_IN_PLACE ? result : in, count, type, mine, count, type);
  gather_everywhere(s, mine, count, type, all, equal_parts(c, count), type);
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

}  // namespace

int reduce(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, int root, communicator* c,
           MPI_Request* out) {
  if (takes_ranks(c, op)) return linear_reduce(in, result, count, type, op, root, c, out);
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

namespace {
/// Steps that store the sum of all values in `result` on each rank.
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

}  // namespace

int allreduce(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, communicator* c, MPI_Request* out) {
  if (takes_ranks(c, op)) return linear_reduce(in, result, count, type, op, -1, c, out);
  work w = begin(c);
  add_allreduce(w.get(), in, result, count, type, op);
  return run(std::move(w), out);
}

int scan(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, communicator* c, bool exclusive,
         MPI_Request* out) {
  return run(fold_ranks(in, result, count, type, op, c, exclusive ? c->rank - 1 : c->rank, true), out);
}

/// Compute the sum of all values. Each rank keeps only its part of the sum.
int reduce_scatter(const void* in, void* result, std::vector<int> counts, MPI_Datatype type, MPI_Op op, communicator* c,
                   MPI_Request* out) {
  const int total = std::accumulate(counts.begin(), counts.end(), 0);
  const int before = std::accumulate(counts.begin(), counts.begin() + c->rank, 0);
  const int mine = counts[static_cast<std::size_t>(c->rank)];
  const void* from = in == MPI_IN_PLACE ? result : in;
  work w = begin(c);
  schedule* s = w.get();
  void* sums = s->temporary(total, type);
  if (takes_ranks(c, op)) {
    work whole = fold_ranks(from, sums, total, type, op, c, c->size() - 1, true);
    whole->kept.insert(whole->kept.end(), s->kept.begin(), s->kept.end());
    w = std::move(whole);
  } else {
    add_allreduce(s, from, sums, total, type, op);
  }
  w->step([=] { copy(element(sums, before, type), mine, type, result, mine, type); });
  return run(std::move(w), out);
}

}  // namespace osteon::bridge
