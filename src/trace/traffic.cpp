#include <trace/traffic.hpp>

#include <cstdio>
#include <cstdlib>

namespace osteon::trace {

namespace {

long long* sent = nullptr;  // number of bytes to each rank of the world
int world_size = 0;
int depth = 0;  // larger than 0 inside an MPI call that has been counted

// Counts of messages of persistent sends. The counts are a list, because programs have few persistent sends.
struct persistent {
  MPI_Request request;
  int rank;  // rank in the world
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

// Rank in the world that corresponds to a rank of a communicator. For an inter-communicator, the rank is in the remote
// group. If there is no such rank, the result is -1.
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

// Ranks to which this rank sends in a neighbourhood collective. The caller must free the list.
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

}  // namespace

void count(MPI_Comm comm, int rank, long long number, MPI_Datatype type) {
  if (ready() && number > 0) count_world(world_rank(comm, rank), bytes_of(number, type));
}

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
  long long* list = longs(2LL * entries);  // pairs of destination and bytes
  int k = 0;
  for (int r = 0; r < world_size; ++r)
    if (sent[r] > 0) list[k++] = r, list[k++] = sent[r];
  // The lists are received rank by rank. The first rank therefore stores only one list at a time.
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

counted_once::counted_once() { ++depth; }
counted_once::~counted_once() { --depth; }

}  // namespace osteon::trace
