/// @file
/// Entry functions of the collectives. An entry function calls the vendor or the bridge.
#include <bridge/inter_cluster/collectives/collectives.hpp>

#include <algorithm>
#include <bridge/front/large_counts.hpp>
#include <bridge/inter_cluster/collectives/forms.hpp>
#include <bridge/inter_cluster/collectives/intercommunicators.hpp>

namespace osteon::bridge {
namespace {

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

using counts_t = const int*;
using types_t = const MPI_Datatype*;

std::vector<int> copied(counts_t from, const communicator* c) { return {from, from + c->size()}; }

/// Counts and displacements are significant only at the root.
parts parts_at(int root, const communicator* c, counts_t counts, counts_t places) {
  return c->rank == root ? parts(c, copied(counts, c), copied(places, c)) : parts();
}

/// The displacements of equal parts have the type int, as in the functions of the standard with int counts.
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
  if (c->rank != root) return gatherv(a, n, t, b, {}, u, root, c, out);
  return too_many(c, m) ? raise(c, MPI_ERR_COUNT) : gatherv(a, n, t, b, equal_parts(c, m), u, root, c, out);
}

int gatherv_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, counts_t counts,
                  counts_t places, MPI_Datatype u, int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  return gatherv(a, n, t, b, parts_at(root, c, counts, places), u, root, c, out);
}

int scatter_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u,
                  int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  if (c->rank != root) return scatterv(a, {}, t, b, m, u, root, c, out);
  return too_many(c, n) ? raise(c, MPI_ERR_COUNT) : scatterv(a, equal_parts(c, n), t, b, m, u, root, c, out);
}

int scatterv_entry(communicator* c, MPI_Request* out, const void* a, counts_t counts, counts_t places, MPI_Datatype t,
                   void* b, int m, MPI_Datatype u, int root) {
  if (root < 0 || root >= c->size()) return raise(c, MPI_ERR_ROOT);
  return scatterv(a, parts_at(root, c, counts, places), t, b, m, u, root, c, out);
}

int allgather_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m,
                    MPI_Datatype u) {
  if (too_many(c, m)) return raise(c, MPI_ERR_COUNT);
  return allgatherv(a, n, t, b, equal_parts(c, m), u, c, out);
}

int allgatherv_entry(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, counts_t counts,
                     counts_t places, MPI_Datatype u) {
  return allgatherv(a, n, t, b, {c, copied(counts, c), copied(places, c)}, u, c, out);
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

/// The program may free a type or an operation while an active collective still uses the object.
template <auto function, auto list, class Handle>
int free_later(Handle* handle, Handle null) {
  auto& w = world();
  if (std::none_of(w.moving.begin(), w.moving.end(), is_collective)) return (vendor().*function)(handle);
  (w.*list).push_back(*handle);
  *handle = null;
  return MPI_SUCCESS;
}

}  // namespace

void free_what_collectives_needed() noexcept {
  auto& w = world();
  if (std::any_of(w.moving.begin(), w.moving.end(), is_collective)) return;
  for (MPI_Datatype& t : w.freed_types) vendor().Type_free(&t);
  for (MPI_Op& op : w.freed_operations) vendor().Op_free(&op);
  w.freed_types.clear();
  w.freed_operations.clear();
}

int blocking_allgather(communicator* c, const void* mine, int count, MPI_Datatype type, void* all) noexcept {
  return allgatherv(mine, count, type, all, equal_parts(c, count), type, c, nullptr);
}

namespace {

/// Functions with large counts. These functions are used if the counts fit into int.
template <auto large, auto small>
struct large_form;
template <class... A, int (*slots::*large)(A...), auto small>
struct large_form<large, small> {
  static int call(A... a) {
    const std::tuple<A...> all{a...};
    communicator* c = find(std::get<MPI_Comm>(all));
    // the vendor may read its arrays after the call has returned
    constexpr bool returns_at_once = (std::is_same_v<A, MPI_Request*> || ...);
    if (!c && returns_at_once) return (vendor().*large)(a...);
    int result = MPI_SUCCESS;
    if (collective_by_twin<large, small>(result, a...)) return result;
    return c ? raise(c, MPI_ERR_VALUE_TOO_LARGE) : (vendor().*large)(a...);
  }
};

#define OSTEON_LARGE(name) s.name##_c = large_form<&slots::name##_c, &slots::name>::call
void install_large_forms(slots& s) noexcept {
  OSTEON_LARGE(Bcast);
  OSTEON_LARGE(Ibcast);
  OSTEON_LARGE(Reduce);
  OSTEON_LARGE(Ireduce);
  OSTEON_LARGE(Allreduce);
  OSTEON_LARGE(Iallreduce);
  OSTEON_LARGE(Scan);
  OSTEON_LARGE(Iscan);
  OSTEON_LARGE(Exscan);
  OSTEON_LARGE(Iexscan);
  OSTEON_LARGE(Reduce_scatter);
  OSTEON_LARGE(Ireduce_scatter);
  OSTEON_LARGE(Reduce_scatter_block);
  OSTEON_LARGE(Ireduce_scatter_block);
  OSTEON_LARGE(Gather);
  OSTEON_LARGE(Igather);
  OSTEON_LARGE(Gatherv);
  OSTEON_LARGE(Igatherv);
  OSTEON_LARGE(Scatter);
  OSTEON_LARGE(Iscatter);
  OSTEON_LARGE(Scatterv);
  OSTEON_LARGE(Iscatterv);
  OSTEON_LARGE(Allgather);
  OSTEON_LARGE(Iallgather);
  OSTEON_LARGE(Allgatherv);
  OSTEON_LARGE(Iallgatherv);
  OSTEON_LARGE(Alltoall);
  OSTEON_LARGE(Ialltoall);
  OSTEON_LARGE(Alltoallv);
  OSTEON_LARGE(Ialltoallv);
  OSTEON_LARGE(Alltoallw);
  OSTEON_LARGE(Ialltoallw);
}
#undef OSTEON_LARGE

}  // namespace

void install_collectives(slots& s) noexcept {
  install_large_forms(s);
  s.Type_free = [](MPI_Datatype* type) {
    return free_later<&slots::Type_free, &joined_world::freed_types>(type, MPI_DATATYPE_NULL);
  };
  s.Op_free = [](MPI_Op* op) { return free_later<&slots::Op_free, &joined_world::freed_operations>(op, MPI_OP_NULL); };
  put_forms<&slots::Barrier, &slots::Ibarrier, barrier_entry, inter::barrier>(s);
  put_forms<&slots::Bcast, &slots::Ibcast, bcast_entry, inter::bcast>(s);
  put_forms<&slots::Reduce, &slots::Ireduce, reduce_entry, inter::reduce>(s);
  put_forms<&slots::Allreduce, &slots::Iallreduce, allreduce_entry, inter::allreduce>(s);
  put_forms<&slots::Scan, &slots::Iscan, scan_entry>(s);
  put_forms<&slots::Exscan, &slots::Iexscan, exscan_entry>(s);
  put_forms<&slots::Reduce_scatter, &slots::Ireduce_scatter, reduce_scatter_entry, inter::reduce_scatter>(s);
  put_forms<&slots::Reduce_scatter_block, &slots::Ireduce_scatter_block, reduce_scatter_block_entry,
            inter::reduce_scatter_block>(s);
  put_forms<&slots::Gather, &slots::Igather, gather_entry, inter::gather>(s);
  put_forms<&slots::Gatherv, &slots::Igatherv, gatherv_entry, inter::gatherv>(s);
  put_forms<&slots::Scatter, &slots::Iscatter, scatter_entry, inter::scatter>(s);
  put_forms<&slots::Scatterv, &slots::Iscatterv, scatterv_entry, inter::scatterv>(s);
  put_forms<&slots::Allgather, &slots::Iallgather, allgather_entry, inter::allgather>(s);
  put_forms<&slots::Allgatherv, &slots::Iallgatherv, allgatherv_entry, inter::allgatherv>(s);
  put_forms<&slots::Alltoall, &slots::Ialltoall, alltoall_entry, inter::alltoall>(s);
  put_forms<&slots::Alltoallv, &slots::Ialltoallv, alltoallv_entry, inter::alltoallv>(s);
  put_forms<&slots::Alltoallw, &slots::Ialltoallw, alltoallw_entry, inter::alltoallw>(s);
}

}  // namespace osteon::bridge
