#pragma once
/// @file
/// Collectives over clusters. Inside clusters, collectives of the vendor are used. Between clusters, the first ranks
/// exchange data once. Each collective therefore needs only one latency of the wide-area link. Data of clusters are combined
/// in the order of the clusters. The result is therefore independent of timing, and equal in every cluster.
///
/// Functions with a communicator as first argument correspond to functions of MPI. If `out` is given, a function is
/// nonblocking.
#include <bridge/inter_cluster/schedule.hpp>
#include <bridge/inter_cluster/world.hpp>
#include <memory>
#include <vector>

namespace osteon::bridge {

using work = std::unique_ptr<schedule>;

inline work begin(communicator* c) {
  auto s = std::make_unique<schedule>();
  s->comm = c;
  return s;
}

inline int leader(const communicator* c, int cluster) { return c->members[static_cast<std::size_t>(cluster)].front(); }
inline int clusters(const communicator* c) { return static_cast<int>(c->members.size()); }
inline bool leads(const communicator* c) { return c->local_rank() == 0; }

inline MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  vendor().Type_get_extent(type, &lower, &extent);
  return extent;
}

inline void* element(const void* buffer, MPI_Aint index, MPI_Datatype type) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(buffer)) + index * extent_of(type);
}

/// Copy data inside this process from one type to another type.
void copy(const void* from, MPI_Count n_from, MPI_Datatype from_type, void* to, MPI_Count n_to, MPI_Datatype to_type);

/// Collectives of the vendor inside the cluster, in blocking and nonblocking form.
#define OSTEON_LOCAL(s, nonblocking, blocking, ...) (s)->local(vendor().nonblocking, vendor().blocking, __VA_ARGS__)
void local_bcast(schedule* s, void* buffer, int count, MPI_Datatype type, int local_root);

std::vector<int> equal_counts(const communicator* c, int count);
std::vector<int> equal_places(const communicator* c, int count);

/// Counts and displacements of ranks in one buffer. The members are for all ranks of a communicator, and for the ranks of
/// this cluster.
struct parts {
  std::vector<int> counts, places;
  std::vector<int> here_counts, here_places;  ///< counts and displacements for each rank of the vendor
  parts() = default;                          ///< for ranks on which the counts are not significant
  parts(const communicator* c, std::vector<int> all_counts, std::vector<int> all_places);
};
inline parts equal_parts(const communicator* c, int count) { return {c, equal_counts(c, count), equal_places(c, count)}; }

/// Steps that gather the contributions of all ranks in `all` on each rank.
void gather_everywhere(schedule* s, const void* in, int n_in, MPI_Datatype in_type, void* all, parts where,
                       MPI_Datatype type);

int barrier(communicator* c, MPI_Request* out);
int bcast(void* buffer, int count, MPI_Datatype type, int root, communicator* c, MPI_Request* out);

int reduce(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, int root, communicator* c,
           MPI_Request* out);
int allreduce(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, communicator* c, MPI_Request* out);
int scan(const void* in, void* result, int count, MPI_Datatype type, MPI_Op op, communicator* c, bool exclusive,
         MPI_Request* out);
int reduce_scatter(const void* in, void* result, std::vector<int> counts, MPI_Datatype type, MPI_Op op, communicator* c,
                   MPI_Request* out);

int allgatherv(const void* in, int n_in, MPI_Datatype in_type, void* all, parts where, MPI_Datatype type, communicator* c,
               MPI_Request* out);
int gatherv(const void* in, int n_in, MPI_Datatype in_type, void* all, parts where, MPI_Datatype type, int root,
            communicator* c, MPI_Request* out);
int scatterv(const void* all, parts where, MPI_Datatype type, void* into, int n_into, MPI_Datatype into_type, int root,
             communicator* c, MPI_Request* out);

/// One side of an all-to-all for each rank of the communicator. `places` are in bytes.
struct side {
  std::vector<int> counts;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
};
int all_to_all(const void* out_buffer, side to, void* in_buffer, side from, communicator* c, MPI_Request* out);

}  // namespace osteon::bridge
