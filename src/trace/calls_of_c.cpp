// MPI functions for C. The functions count messages, and then call MPI.
#include <trace/traffic.hpp>

using namespace osteon::trace;

#define OSTEON_SEND(Name)                                                             \
  int MPI_##Name(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) { \
    count(c, to, n, t);                                                               \
    return PMPI_##Name(b, n, t, to, tag, c);                                          \
  }
#define OSTEON_ISEND(Name)                                                                            \
  int MPI_##Name(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r) { \
    count(c, to, n, t);                                                                               \
    return PMPI_##Name(b, n, t, to, tag, c, r);                                                       \
  }
#define OSTEON_SEND_INIT(Name)                                                                        \
  int MPI_##Name(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r) { \
    const int result = PMPI_##Name(b, n, t, to, tag, c, r);                                           \
    remember(*r, c, to, n, t);                                                                        \
    return result;                                                                                    \
  }

#pragma GCC visibility push(default)
extern "C" {

OSTEON_SEND(Send)
OSTEON_SEND(Ssend)
OSTEON_SEND(Bsend)
OSTEON_SEND(Rsend)
OSTEON_ISEND(Isend)
OSTEON_ISEND(Issend)
OSTEON_ISEND(Ibsend)
OSTEON_ISEND(Irsend)
OSTEON_SEND_INIT(Send_init)
OSTEON_SEND_INIT(Ssend_init)
OSTEON_SEND_INIT(Bsend_init)
OSTEON_SEND_INIT(Rsend_init)

int MPI_Start(MPI_Request* r) {
  started(*r);
  return PMPI_Start(r);
}
int MPI_Startall(int n, MPI_Request* r) {
  for (int i = 0; i < n; ++i) started(r[i]);
  return PMPI_Startall(n, r);
}
int MPI_Request_free(MPI_Request* r) {
  forget(*r);
  return PMPI_Request_free(r);
}
int MPI_Sendrecv(const void* b, int n, MPI_Datatype t, int to, int tag, void* rb, int rn, MPI_Datatype rt, int from,
                 int rtag, MPI_Comm c, MPI_Status* s) {
  count(c, to, n, t);
  return PMPI_Sendrecv(b, n, t, to, tag, rb, rn, rt, from, rtag, c, s);
}
int MPI_Sendrecv_replace(void* b, int n, MPI_Datatype t, int to, int tag, int from, int rtag, MPI_Comm c, MPI_Status* s) {
  count(c, to, n, t);
  return PMPI_Sendrecv_replace(b, n, t, to, tag, from, rtag, c, s);
}
int MPI_Neighbor_alltoall(const void* b, int n, MPI_Datatype t, void* rb, int rn, MPI_Datatype rt, MPI_Comm c) {
  count_neighbours(c, nullptr, n, nullptr, t);
  return PMPI_Neighbor_alltoall(b, n, t, rb, rn, rt, c);
}
int MPI_Ineighbor_alltoall(const void* b, int n, MPI_Datatype t, void* rb, int rn, MPI_Datatype rt, MPI_Comm c,
                           MPI_Request* r) {
  count_neighbours(c, nullptr, n, nullptr, t);
  return PMPI_Ineighbor_alltoall(b, n, t, rb, rn, rt, c, r);
}
int MPI_Neighbor_alltoallv(const void* b, const int* n, const int* d, MPI_Datatype t, void* rb, const int* rn, const int* rd,
                           MPI_Datatype rt, MPI_Comm c) {
  count_neighbours(c, n, 0, nullptr, t);
  return PMPI_Neighbor_alltoallv(b, n, d, t, rb, rn, rd, rt, c);
}
int MPI_Ineighbor_alltoallv(const void* b, const int* n, const int* d, MPI_Datatype t, void* rb, const int* rn,
                            const int* rd, MPI_Datatype rt, MPI_Comm c, MPI_Request* r) {
  count_neighbours(c, n, 0, nullptr, t);
  return PMPI_Ineighbor_alltoallv(b, n, d, t, rb, rn, rd, rt, c, r);
}
int MPI_Neighbor_alltoallw(const void* b, const int* n, const MPI_Aint* d, const MPI_Datatype* t, void* rb, const int* rn,
                           const MPI_Aint* rd, const MPI_Datatype* rt, MPI_Comm c) {
  count_neighbours(c, n, 0, t, MPI_BYTE);
  return PMPI_Neighbor_alltoallw(b, n, d, t, rb, rn, rd, rt, c);
}
int MPI_Neighbor_allgather(const void* b, int n, MPI_Datatype t, void* rb, int rn, MPI_Datatype rt, MPI_Comm c) {
  count_neighbours(c, nullptr, n, nullptr, t);
  return PMPI_Neighbor_allgather(b, n, t, rb, rn, rt, c);
}
int MPI_Ineighbor_alltoallw(const void* b, const int* n, const MPI_Aint* d, const MPI_Datatype* t, void* rb, const int* rn,
                            const MPI_Aint* rd, const MPI_Datatype* rt, MPI_Comm c, MPI_Request* r) {
  count_neighbours(c, n, 0, t, MPI_BYTE);
  return PMPI_Ineighbor_alltoallw(b, n, d, t, rb, rn, rd, rt, c, r);
}
int MPI_Ineighbor_allgather(const void* b, int n, MPI_Datatype t, void* rb, int rn, MPI_Datatype rt, MPI_Comm c,
                            MPI_Request* r) {
  count_neighbours(c, nullptr, n, nullptr, t);
  return PMPI_Ineighbor_allgather(b, n, t, rb, rn, rt, c, r);
}
int MPI_Neighbor_allgatherv(const void* b, int n, MPI_Datatype t, void* rb, const int* rn, const int* rd, MPI_Datatype rt,
                            MPI_Comm c) {
  count_neighbours(c, nullptr, n, nullptr, t);
  return PMPI_Neighbor_allgatherv(b, n, t, rb, rn, rd, rt, c);
}
int MPI_Ineighbor_allgatherv(const void* b, int n, MPI_Datatype t, void* rb, const int* rn, const int* rd, MPI_Datatype rt,
                             MPI_Comm c, MPI_Request* r) {
  count_neighbours(c, nullptr, n, nullptr, t);
  return PMPI_Ineighbor_allgatherv(b, n, t, rb, rn, rd, rt, c, r);
}
// If the operation is in place, the received data are the sent data.
int MPI_Alltoall(const void* b, int n, MPI_Datatype t, void* rb, int rn, MPI_Datatype rt, MPI_Comm c) {
  count_all(c, nullptr, b == MPI_IN_PLACE ? rn : n, nullptr, b == MPI_IN_PLACE ? rt : t);
  return PMPI_Alltoall(b, n, t, rb, rn, rt, c);
}
int MPI_Ialltoall(const void* b, int n, MPI_Datatype t, void* rb, int rn, MPI_Datatype rt, MPI_Comm c, MPI_Request* r) {
  count_all(c, nullptr, b == MPI_IN_PLACE ? rn : n, nullptr, b == MPI_IN_PLACE ? rt : t);
  return PMPI_Ialltoall(b, n, t, rb, rn, rt, c, r);
}
int MPI_Alltoallv(const void* b, const int* n, const int* d, MPI_Datatype t, void* rb, const int* rn, const int* rd,
                  MPI_Datatype rt, MPI_Comm c) {
  count_all(c, b == MPI_IN_PLACE ? rn : n, 0, nullptr, b == MPI_IN_PLACE ? rt : t);
  return PMPI_Alltoallv(b, n, d, t, rb, rn, rd, rt, c);
}
int MPI_Ialltoallv(const void* b, const int* n, const int* d, MPI_Datatype t, void* rb, const int* rn, const int* rd,
                   MPI_Datatype rt, MPI_Comm c, MPI_Request* r) {
  count_all(c, b == MPI_IN_PLACE ? rn : n, 0, nullptr, b == MPI_IN_PLACE ? rt : t);
  return PMPI_Ialltoallv(b, n, d, t, rb, rn, rd, rt, c, r);
}
int MPI_Alltoallw(const void* b, const int* n, const int* d, const MPI_Datatype* t, void* rb, const int* rn, const int* rd,
                  const MPI_Datatype* rt, MPI_Comm c) {
  count_all(c, b == MPI_IN_PLACE ? rn : n, 0, b == MPI_IN_PLACE ? rt : t, MPI_BYTE);
  return PMPI_Alltoallw(b, n, d, t, rb, rn, rd, rt, c);
}
int MPI_Ialltoallw(const void* b, const int* n, const int* d, const MPI_Datatype* t, void* rb, const int* rn, const int* rd,
                   const MPI_Datatype* rt, MPI_Comm c, MPI_Request* r) {
  count_all(c, b == MPI_IN_PLACE ? rn : n, 0, b == MPI_IN_PLACE ? rt : t, MPI_BYTE);
  return PMPI_Ialltoallw(b, n, d, t, rb, rn, rd, rt, c, r);
}
int MPI_Finalize() {
  write_graph();
  return PMPI_Finalize();
}

}  // extern "C"
#pragma GCC visibility pop
