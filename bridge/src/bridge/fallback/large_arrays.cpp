/// @file
/// Collectives with arrays of large counts (MPI_X_c). If the counts fit into int, the functions with int counts (MPI_X)
/// implement these collectives.
#include <bridge/fallback/arguments.hpp>

namespace osteon::bridge {
namespace {

int too_large(MPI_Comm comm) {
  active.Comm_call_errhandler(comm, MPI_ERR_VALUE_TOO_LARGE);
  return MPI_ERR_VALUE_TOO_LARGE;
}

/// For nonblocking functions, the arrays of int counts are retained until completion.
template <auto large, auto small, bool among_neighbors>
struct nonblocking_by_twin;
template <class... A, int (*slots::*large)(A...), auto small, bool among_neighbors>
struct nonblocking_by_twin<large, small, among_neighbors> {
  static int call(A... a) {
    const std::tuple<A...> given{a...};
    const MPI_Comm comm = std::get<MPI_Comm>(given);
    if (!lacks<large>(comm)) return (vendor().*large)(a...);
    using twin = twin_of<large, small>;
    bool fits = true;
    auto kept = std::make_shared<typename twin::narrow_arguments>(
        twin::narrow(given, array_lengths<among_neighbors, A...>(given), fits));
    if (!fits) return too_large(comm);
    MPI_Request* out = std::get<MPI_Request*>(given);
    const int e = twin::call(*kept);
    if (e != MPI_SUCCESS) return e;
    composite* c = make_composite();
    c->add(*out);
    c->kept = std::move(kept);
    *out = handle_of(c);
    return MPI_SUCCESS;
  }
};

template <auto large, auto small>
struct among_neighbors_by_twin;
template <class... A, int (*slots::*large)(A...), auto small>
struct among_neighbors_by_twin<large, small> {
  static int call(A... a) {
    const std::tuple<A...> given{a...};
    const MPI_Comm comm = std::get<MPI_Comm>(given);
    if (!lacks<large>(comm)) return (vendor().*large)(a...);
    int result = MPI_SUCCESS;
    return twin_of<large, small>::call(given, neighbor_lengths<A...>(given), result) ? result : too_large(comm);
  }
};

}  // namespace

void install_large_arrays(slots& s) noexcept {
  // For communicators over clusters, inter_cluster/ implements the first six functions, and copies their arguments.
#define OSTEON_NONBLOCKING(name) \
  if (vendor().name##_c == absent.name##_c) s.name##_c = nonblocking_by_twin<&slots::name##_c, &slots::name, false>::call
  OSTEON_NONBLOCKING(Igatherv);
  OSTEON_NONBLOCKING(Iscatterv);
  OSTEON_NONBLOCKING(Iallgatherv);
  OSTEON_NONBLOCKING(Ialltoallv);
  OSTEON_NONBLOCKING(Ialltoallw);
  OSTEON_NONBLOCKING(Ireduce_scatter);
#undef OSTEON_NONBLOCKING
#define OSTEON_NEIGHBOR(name)                                                                                     \
  put_fallback<&slots::In##name##_c>(s, nonblocking_by_twin<&slots::In##name##_c, &slots::In##name, true>::call); \
  put_fallback<&slots::N##name##_c>(s, among_neighbors_by_twin<&slots::N##name##_c, &slots::N##name>::call)
  OSTEON_NEIGHBOR(eighbor_allgather);
  OSTEON_NEIGHBOR(eighbor_allgatherv);
  OSTEON_NEIGHBOR(eighbor_alltoall);
  OSTEON_NEIGHBOR(eighbor_alltoallv);
  OSTEON_NEIGHBOR(eighbor_alltoallw);
#undef OSTEON_NEIGHBOR
}

}  // namespace osteon::bridge
