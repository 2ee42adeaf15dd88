// Counts what the ranks of any MPI program send to each other, and writes it as a graph when they end.
//
// A library to be preloaded (LD_PRELOAD): it stands between the program and its MPI, and must be built with the same MPI.
// Point-to-point messages, persistent ones as often as they are started, neighbourhood collectives and all-to-alls are
// counted by their bytes, from C and from Fortran (the symbols of mpif.h and `use mpi`). OSTEON_TRACE names the file.
// Nothing here may need the C++ library, because it is loaded into programs that have none.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

long long* sent = nullptr;  // bytes to each rank of the world
int world_size = 0;
int depth = 0;  // inside an MPI call that has been counted: Fortran's may call C's

// Persistent sends: what starting one counts. A list, as programs have few.
struct persistent {
  MPI_Request request;
  int rank;  // of the world
  long long bytes;
  persistent* next;
};
persistent* persistents = nullptr;

bool ready() {
  if (depth > 0) return false;
  if (sent) return true;
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (!initialized || finalized) return false;
  PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
  sent = static_cast<long long*>(std::calloc(static_cast<std::size_t>(world_size), sizeof(long long)));
  return sent != nullptr;
}

long long bytes_of(long long count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * size;
}

// Rank in the world of a rank of a communicator (of the remote group, if it has one); -1 if there is none.
int world_rank(MPI_Comm comm, int rank) {
  if (rank < 0) return -1;
  if (comm == MPI_COMM_WORLD) return rank;
  int is_inter = 0, result = MPI_UNDEFINED;
  PMPI_Comm_test_inter(comm, &is_inter);
  MPI_Group group, world;
  if (is_inter)
    PMPI_Comm_remote_group(comm, &group);
  else
    PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &result);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return result == MPI_UNDEFINED ? -1 : result;
}

void count_world(int rank, long long bytes) {
  if (rank >= 0 && rank < world_size) sent[rank] += bytes;
}

void count(MPI_Comm comm, int rank, long long number, MPI_Datatype type) {
  if (ready() && number > 0) count_world(world_rank(comm, rank), bytes_of(number, type));
}

// Ranks that this one sends to in a neighbourhood collective; to be freed.
int* destinations(MPI_Comm comm, int* how_many) {
  int kind = MPI_UNDEFINED, me = 0;
  *how_many = 0;
  PMPI_Topo_test(comm, &kind);
  PMPI_Comm_rank(comm, &me);
  const auto room = [](int n) {
    return static_cast<int*>(std::malloc(sizeof(int) * static_cast<std::size_t>(n > 0 ? n : 1)));
  };
  if (kind == MPI_CART) {
    int dims = 0;
    PMPI_Cartdim_get(comm, &dims);
    int* list = room(2 * dims);
    if (!list) return nullptr;
    *how_many = 2 * dims;
    for (int d = 0; d < dims; ++d) PMPI_Cart_shift(comm, d, 1, &list[2 * d], &list[2 * d + 1]);
    return list;
  }
  if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, me, how_many);
    int* list = room(*how_many);
    if (list) PMPI_Graph_neighbors(comm, me, *how_many, list);
    return list;
  }
  if (kind == MPI_DIST_GRAPH) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    int *sources = room(in), *list = room(out), *weights = room(in > out ? in : out);
    if (sources && list && weights) {
      PMPI_Dist_graph_neighbors(comm, in, sources, weights, out, list, weights);
      *how_many = out;
    }
    std::free(sources);
    std::free(weights);
    return list;
  }
  return nullptr;
}

// counts: of each destination, or null for `number` to each; types likewise.
void count_neighbours(MPI_Comm comm, const int* counts, long long number, const MPI_Datatype* types, MPI_Datatype type) {
  if (!ready()) return;
  int n = 0;
  int* list = destinations(comm, &n);
  for (int i = 0; list && i < n; ++i) count(comm, list[i], counts ? counts[i] : number, types ? types[i] : type);
  std::free(list);
}

void count_all(MPI_Comm comm, const int* counts, long long number, const MPI_Datatype* types, MPI_Datatype type) {
  if (!ready()) return;
  int n = 0, me = 0, is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter)
    PMPI_Comm_remote_size(comm, &n);
  else
    PMPI_Comm_size(comm, &n);
  PMPI_Comm_rank(comm, &me);
  for (int r = 0; r < n; ++r)
    if (is_inter || r != me) count(comm, r, counts ? counts[r] : number, types ? types[r] : type);
}

void remember(MPI_Request request, MPI_Comm comm, int rank, long long number, MPI_Datatype type) {
  if (!ready()) return;
  auto* p = static_cast<persistent*>(std::malloc(sizeof(persistent)));
  if (!p) return;
  *p = {request, world_rank(comm, rank), bytes_of(number, type), persistents};
  persistents = p;
}

void started(MPI_Request request) {
  if (!ready()) return;
  for (const persistent* p = persistents; p; p = p->next)
    if (p->request == request) return count_world(p->rank, p->bytes);
}

void forget(MPI_Request request) {
  for (persistent** p = &persistents; *p; p = &(*p)->next)
    if ((*p)->request == request) {
      persistent* gone = *p;
      *p = gone->next;
      std::free(gone);
      return;
    }
}

void write_graph() {
  if (!ready()) return;
  int me = 0, entries = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int r = 0; r < world_size; ++r) entries += sent[r] > 0;
  const auto longs = [](long long n) {
    return static_cast<long long*>(std::malloc(sizeof(long long) * static_cast<std::size_t>(n > 0 ? n : 1)));
  };
  long long* list = longs(2LL * entries);  // destination, bytes
  int k = 0;
  for (int r = 0; r < world_size; ++r)
    if (sent[r] > 0) list[k++] = r, list[k++] = sent[r];
  // Rank after rank, so that the first one needs memory for one list only.
  if (me != 0) {
    PMPI_Send(&entries, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    PMPI_Send(list, 2 * entries, MPI_LONG_LONG, 0, 1, MPI_COMM_WORLD);
    std::free(list);
    return;
  }
  const char* name = std::getenv("OSTEON_TRACE");
  if (!name || !*name) name = "osteon_trace.json";
  std::FILE* file = std::fopen(name, "w");
  if (!file) std::fprintf(stderr, "osteon trace: cannot write '%s'\n", name);
  if (file) std::fprintf(file, "{\"schema\": \"osteon.graph/1\", \"subdomains\": %d, \"sent\": [", world_size);
  const char* separator = "\n";
  for (int from = 0; from < world_size; ++from) {
    if (from > 0) {
      PMPI_Recv(&entries, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      std::free(list);
      list = longs(2LL * entries);
      PMPI_Recv(list, 2 * entries, MPI_LONG_LONG, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; file && i < entries; ++i) {
      std::fprintf(file, "%s[%d, %lld, %lld]", separator, from, list[2 * i], list[2 * i + 1]);
      separator = ",\n";
    }
  }
  std::free(list);
  if (file && (std::fprintf(file, "\n]}\n") < 0 || std::fclose(file) != 0))
    std::fprintf(stderr, "osteon trace: cannot write '%s'\n", name);
}

// The same function of the next library: MPI's own.
template <class F>
F next_of(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

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
// In place, what is sent is what is received.
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
int MPI_Finalize() {
  write_graph();
  return PMPI_Finalize();
}

// Fortran: counted here, then given on as it came, so that MPI's own constants keep their meaning.
void mpi_finalize_(MPI_Fint* e) {
  write_graph();
  ++depth;
  next_of(mpi_finalize_, "mpi_finalize_")(e);
}
#define OSTEON_F_SEND(name)                                                                             \
  void name(void* b, MPI_Fint* n, MPI_Fint* t, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* c, MPI_Fint* e) { \
    count(MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));                                                 \
    ++depth;                                                                                            \
    next_of(name, #name)(b, n, t, to, tag, c, e);                                                       \
    --depth;                                                                                            \
  }
#define OSTEON_F_ISEND(name)                                                                                         \
  void name(void* b, MPI_Fint* n, MPI_Fint* t, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* c, MPI_Fint* r, MPI_Fint* e) { \
    count(MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));                                                              \
    ++depth;                                                                                                         \
    next_of(name, #name)(b, n, t, to, tag, c, r, e);                                                                 \
    --depth;                                                                                                         \
  }
OSTEON_F_SEND(mpi_send_)
OSTEON_F_SEND(mpi_ssend_)
OSTEON_F_SEND(mpi_bsend_)
OSTEON_F_SEND(mpi_rsend_)
OSTEON_F_ISEND(mpi_isend_)
OSTEON_F_ISEND(mpi_issend_)

void mpi_send_init_(void* b, MPI_Fint* n, MPI_Fint* t, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* c, MPI_Fint* r, MPI_Fint* e) {
  ++depth;
  next_of(mpi_send_init_, "mpi_send_init_")(b, n, t, to, tag, c, r, e);
  --depth;
  remember(MPI_Request_f2c(*r), MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));
}
void mpi_start_(MPI_Fint* r, MPI_Fint* e) {
  started(MPI_Request_f2c(*r));
  ++depth;
  next_of(mpi_start_, "mpi_start_")(r, e);
  --depth;
}
void mpi_startall_(MPI_Fint* n, MPI_Fint* r, MPI_Fint* e) {
  for (int i = 0; i < *n; ++i) started(MPI_Request_f2c(r[i]));
  ++depth;
  next_of(mpi_startall_, "mpi_startall_")(n, r, e);
  --depth;
}
void mpi_sendrecv_(void* b, MPI_Fint* n, MPI_Fint* t, MPI_Fint* to, MPI_Fint* tag, void* rb, MPI_Fint* rn, MPI_Fint* rt,
                   MPI_Fint* from, MPI_Fint* rtag, MPI_Fint* c, MPI_Fint* s, MPI_Fint* e) {
  count(MPI_Comm_f2c(*c), *to, *n, MPI_Type_f2c(*t));
  ++depth;
  next_of(mpi_sendrecv_, "mpi_sendrecv_")(b, n, t, to, tag, rb, rn, rt, from, rtag, c, s, e);
  --depth;
}
// Counts are those of what is received where Fortran's MPI_IN_PLACE stands for what is sent; an exchange is symmetric.
void mpi_alltoall_(void* b, MPI_Fint* n, MPI_Fint* t, void* rb, MPI_Fint* rn, MPI_Fint* rt, MPI_Fint* c, MPI_Fint* e) {
  count_all(MPI_Comm_f2c(*c), nullptr, *rn, nullptr, MPI_Type_f2c(*rt));
  ++depth;
  next_of(mpi_alltoall_, "mpi_alltoall_")(b, n, t, rb, rn, rt, c, e);
  --depth;
}
void mpi_alltoallv_(void* b, MPI_Fint* n, MPI_Fint* d, MPI_Fint* t, void* rb, MPI_Fint* rn, MPI_Fint* rd, MPI_Fint* rt,
                    MPI_Fint* c, MPI_Fint* e) {
  count_all(MPI_Comm_f2c(*c), n, 0, nullptr, MPI_Type_f2c(*t));
  ++depth;
  next_of(mpi_alltoallv_, "mpi_alltoallv_")(b, n, d, t, rb, rn, rd, rt, c, e);
  --depth;
}

}  // extern "C"
