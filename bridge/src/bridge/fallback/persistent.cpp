/// @file
/// Persistent collectives. Nonblocking collectives implement the persistent collectives: MPI_Start calls MPI_IX with the
/// arguments of MPI_X_init. Processes may start persistent collectives in different orders, but must start nonblocking
/// collectives in the same order. Each persistent collective therefore has a communicator of its own.
#include <bridge/fallback/arguments.hpp>

namespace osteon::bridge {
namespace {

/// A duplicate of a communicator. The duplicate has no attributes.
class members_again {
 public:
  /// @collective on comm
  explicit members_again(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    error_ = active.Comm_group(comm, &group);
    if (error_ != MPI_SUCCESS) return;
    error_ = active.Comm_create(comm, group, &comm_);
    active.Group_free(&group);
  }
  members_again(const members_again&) = delete;
  members_again& operator=(const members_again&) = delete;
  ~members_again() {
    if (comm_ != MPI_COMM_NULL) active.Comm_free(&comm_);
  }
  int error() const { return error_; }
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int error_ = MPI_SUCCESS;
};

template <class... A>
struct what_is_kept {
  std::unique_ptr<members_again> own;  // null for neighbourhood collectives, because these collectives need the topology
  kept_arguments<A...> arguments;
  template <class Length>
  what_is_kept(std::unique_ptr<members_again> comm, const std::tuple<A...>& given, const Length& lengths)
      : own(std::move(comm)), arguments(given, lengths) {}
};

/// `blocking` defines the arguments that the three functions have in common.
template <auto init, auto start, auto blocking, bool among_neighbors>
struct persistent;

template <auto init, auto start, class... A, int (*slots::*blocking)(A...), bool among_neighbors>
struct persistent<init, start, blocking, among_neighbors> {
  static int call(A... a, MPI_Info info, MPI_Request* out) {
    std::tuple<A...> given{a...};
    MPI_Comm& comm = std::get<MPI_Comm>(given);
    if (!lacks_of_mpi_4<init>(comm)) return (vendor().*init)(a..., info, out);
    const array_lengths<among_neighbors, A...> lengths(given);
    std::unique_ptr<members_again> own;
    if (!among_neighbors) {
      own = std::make_unique<members_again>(comm);
      if (own->error() != MPI_SUCCESS) return own->error();
      comm = own->get();
    }
    composite* c = make_composite();
    c->active = false;
    c->add(MPI_REQUEST_NULL);
    auto kept = std::make_shared<what_is_kept<A...>>(std::move(own), given, lengths);
    c->start = [with = kept.get()](MPI_Request* part) { return with->arguments.call(active.*start, part); };
    c->kept = std::move(kept);
    *out = handle_of(c);
    return MPI_SUCCESS;
  }
};

template <auto init, auto start, auto blocking, bool among_neighbors = false>
void put(slots& s) {
  put_fallback_of_mpi_4<init>(s, persistent<init, start, blocking, among_neighbors>::call);
}

}  // namespace

void install_persistent(slots& s) noexcept {
  put<&slots::Barrier_init, &slots::Ibarrier, &slots::Barrier>(s);
#define OSTEON_BOTH(name, small)                               \
  put<&slots::name##_init, &slots::I##small, &slots::name>(s); \
  put<&slots::name##_init_c, &slots::I##small##_c, &slots::name##_c>(s)
  OSTEON_BOTH(Bcast, bcast);
  OSTEON_BOTH(Reduce, reduce);
  OSTEON_BOTH(Allreduce, allreduce);
  OSTEON_BOTH(Scan, scan);
  OSTEON_BOTH(Exscan, exscan);
  OSTEON_BOTH(Reduce_scatter, reduce_scatter);
  OSTEON_BOTH(Reduce_scatter_block, reduce_scatter_block);
  OSTEON_BOTH(Gather, gather);
  OSTEON_BOTH(Gatherv, gatherv);
  OSTEON_BOTH(Scatter, scatter);
  OSTEON_BOTH(Scatterv, scatterv);
  OSTEON_BOTH(Allgather, allgather);
  OSTEON_BOTH(Allgatherv, allgatherv);
  OSTEON_BOTH(Alltoall, alltoall);
  OSTEON_BOTH(Alltoallv, alltoallv);
  OSTEON_BOTH(Alltoallw, alltoallw);
#undef OSTEON_BOTH
#define OSTEON_BOTH(name)                                                  \
  put<&slots::N##name##_init, &slots::In##name, &slots::N##name, true>(s); \
  put<&slots::N##name##_init_c, &slots::In##name##_c, &slots::N##name##_c, true>(s)
  OSTEON_BOTH(eighbor_allgather);
  OSTEON_BOTH(eighbor_allgatherv);
  OSTEON_BOTH(eighbor_alltoall);
  OSTEON_BOTH(eighbor_alltoallv);
  OSTEON_BOTH(eighbor_alltoallw);
#undef OSTEON_BOTH
}

}  // namespace osteon::bridge
