// MPI functions for Fortran (mpif.h and `use mpi`). The functions count messages, and pass all arguments unchanged to MPI.
// Constants of MPI therefore remain valid.
#include <dlfcn.h>

#include <trace/traffic.hpp>

using namespace osteon::trace;

namespace {

// The same function in the next library. This library is the MPI library.
template <class F>
F next_of(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

using integer = MPI_Fint*;

}  // namespace

#define OSTEON_SEND(name)                                                                   \
  void name(void* b, integer n, integer t, integer to, integer tag, integer c, integer e) { \
    count(MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));                                     \
    const counted_once here;                                                                \
    next_of(name, #name)(b, n, t, to, tag, c, e);                                           \
  }
#define OSTEON_ISEND(name)                                                                             \
  void name(void* b, integer n, integer t, integer to, integer tag, integer c, integer r, integer e) { \
    count(MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));                                                \
    const counted_once here;                                                                           \
    next_of(name, #name)(b, n, t, to, tag, c, r, e);                                                   \
  }
#define OSTEON_SEND_INIT(name)                                                                         \
  void name(void* b, integer n, integer t, integer to, integer tag, integer c, integer r, integer e) { \
    {                                                                                                  \
      const counted_once here;                                                                         \
      next_of(name, #name)(b, n, t, to, tag, c, r, e);                                                 \
    }                                                                                                  \
    remember(MPI_Request_f2c(*r), MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));                        \
  }

#pragma GCC visibility push(default)
extern "C" {

OSTEON_SEND(mpi_send_)
OSTEON_SEND(mpi_ssend_)
OSTEON_SEND(mpi_bsend_)
OSTEON_SEND(mpi_rsend_)
OSTEON_ISEND(mpi_isend_)
OSTEON_ISEND(mpi_issend_)
OSTEON_ISEND(mpi_ibsend_)
OSTEON_ISEND(mpi_irsend_)
OSTEON_SEND_INIT(mpi_send_init_)
OSTEON_SEND_INIT(mpi_ssend_init_)
OSTEON_SEND_INIT(mpi_bsend_init_)
OSTEON_SEND_INIT(mpi_rsend_init_)

void mpi_start_(integer r, integer e) {
  started(MPI_Request_f2c(*r));
  const counted_once here;
  next_of(mpi_start_, "mpi_start_")(r, e);
}
void mpi_startall_(integer n, integer r, integer e) {
  for (int i = 0; i < *n; ++i) started(MPI_Request_f2c(r[i]));
  const counted_once here;
  next_of(mpi_startall_, "mpi_startall_")(n, r, e);
}
void mpi_request_free_(integer r, integer e) {
  forget(MPI_Request_f2c(*r));
  const counted_once here;
  next_of(mpi_request_free_, "mpi_request_free_")(r, e);
}
void mpi_sendrecv_(void* b, integer n, integer t, integer to, integer tag, void* rb, integer rn, integer rt, integer from,
                   integer rtag, integer c, integer s, integer e) {
  count(MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));
  const counted_once here;
  next_of(mpi_sendrecv_, "mpi_sendrecv_")(b, n, t, to, tag, rb, rn, rt, from, rtag, c, s, e);
}
void mpi_sendrecv_replace_(void* b, integer n, integer t, integer to, integer tag, integer from, integer rtag, integer c,
                           integer s, integer e) {
  count(MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));
  const counted_once here;
  next_of(mpi_sendrecv_replace_, "mpi_sendrecv_replace_")(b, n, t, to, tag, from, rtag, c, s, e);
}
void mpi_neighbor_alltoall_(void* b, integer n, integer t, void* rb, integer rn, integer rt, integer c, integer e) {
  count_neighbours(MPI_Comm_f2c(*c), nullptr, *n, nullptr, MPI_Type_f2c(*t));
  const counted_once here;
  next_of(mpi_neighbor_alltoall_, "mpi_neighbor_alltoall_")(b, n, t, rb, rn, rt, c, e);
}
void mpi_neighbor_alltoallv_(void* b, integer n, integer d, integer t, void* rb, integer rn, integer rd, integer rt,
                             integer c, integer e) {
  count_neighbours(MPI_Comm_f2c(*c), n, 0, nullptr, MPI_Type_f2c(*t));
  const counted_once here;
  next_of(mpi_neighbor_alltoallv_, "mpi_neighbor_alltoallv_")(b, n, d, t, rb, rn, rd, rt, c, e);
}
// Data that are received from a rank count as sent to this rank. With MPI_IN_PLACE, the send counts are invalid. Here,
// MPI_IN_PLACE of Fortran cannot be distinguished from a buffer. The result is correct, because a graph uses the mean of
// both directions.
void mpi_alltoall_(void* b, integer n, integer t, void* rb, integer rn, integer rt, integer c, integer e) {
  count_all(MPI_Comm_f2c(*c), nullptr, *rn, nullptr, MPI_Type_f2c(*rt));
  const counted_once here;
  next_of(mpi_alltoall_, "mpi_alltoall_")(b, n, t, rb, rn, rt, c, e);
}
void mpi_alltoallv_(void* b, integer n, integer d, integer t, void* rb, integer rn, integer rd, integer rt, integer c,
                    integer e) {
  count_all(MPI_Comm_f2c(*c), rn, 0, nullptr, MPI_Type_f2c(*rt));
  const counted_once here;
  next_of(mpi_alltoallv_, "mpi_alltoallv_")(b, n, d, t, rb, rn, rd, rt, c, e);
}
void mpi_finalize_(integer e) {
  write_graph();
  const counted_once here;
  next_of(mpi_finalize_, "mpi_finalize_")(e);
}

}  // extern "C"
#pragma GCC visibility pop
