/* Grids, graphs, distributed graphs, and neighbourhood collectives, blocking, nonblocking and persistent, with small
 * and with large counts. With an argument, the program also tests the faults of MPICH 4.0.2: neighbours of a grid that are
 * one rank, several edges between two ranks, and ranks that only send. Oracle: values computed from the ranks. */
#include "check.h"

static int rank, size, all_cases;

/* Expected value for neighbour number `slot` of rank r in its block `slot`. */
static int value(int from, int slot) { return 1000 * from + slot; }

enum { most = 16 };

/* sources[i] has sent its block number sent_as[i] to this rank. */
static void exchange(MPI_Comm comm, int n_in, const int* sources, const int* sent_as, int n_out) {
  int out[2 * most], in[2 * most], counts_in[most], places_in[most], counts_out[most], places_out[most];
  MPI_Count large_in[most], large_out[most];
  MPI_Aint bytes_in[most], bytes_out[most], far_in[most], far_out[most];
  MPI_Datatype types[most];
  CHECK(n_in <= most && n_out <= most);
  for (int i = 0; i < most; ++i) types[i] = MPI_INT, large_in[i] = large_out[i] = 1;
  for (int i = 0; i < n_in; ++i) counts_in[i] = 1, places_in[i] = n_in - 1 - i, bytes_in[i] = 4 * (far_in[i] = places_in[i]);
  for (int i = 0; i < n_out; ++i)
    counts_out[i] = 1, places_out[i] = n_out - 1 - i, bytes_out[i] = 4 * (far_out[i] = places_out[i]);
  for (int kind = 0; kind < 6; ++kind) { /* blocking, not blocking, persistent; the same with large counts */
    MPI_Request r;
    const int two[2] = {10 * rank, 10 * rank + 1};
    memset(in, -1, sizeof in);
    if (kind == 0) OK(MPI_Neighbor_allgather(two, 2, MPI_INT, in, 2, MPI_INT, comm));
    if (kind == 1) OK(MPI_Ineighbor_allgather(two, 2, MPI_INT, in, 2, MPI_INT, comm, &r));
    if (kind == 2) OK(MPI_Neighbor_allgather_init(two, 2, MPI_INT, in, 2, MPI_INT, comm, MPI_INFO_NULL, &r));
    if (kind == 3) OK(MPI_Neighbor_allgather_c(two, 2, MPI_INT, in, 2, MPI_INT, comm));
    if (kind == 4) OK(MPI_Ineighbor_allgather_c(two, 2, MPI_INT, in, 2, MPI_INT, comm, &r));
    if (kind == 5) OK(MPI_Neighbor_allgather_init_c(two, 2, MPI_INT, in, 2, MPI_INT, comm, MPI_INFO_NULL, &r));
#define FINISH()                                            \
  do {                                                      \
    if (kind % 3 == 2) OK(MPI_Start(&r));                   \
    if (kind % 3 != 0) OK(MPI_Wait(&r, MPI_STATUS_IGNORE)); \
    if (kind % 3 == 2) OK(MPI_Request_free(&r));            \
  } while (0)
    FINISH();
    for (int i = 0; i < n_in; ++i) {
      const int v = sources[i] == MPI_PROC_NULL ? -1 : 10 * sources[i];
      CHECK(in[2 * i] == v && in[2 * i + 1] == (v < 0 ? v : v + 1));
    }
    memset(in, -1, sizeof in);
    if (kind == 0) OK(MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, in, counts_in, places_in, MPI_INT, comm));
    if (kind == 1) OK(MPI_Ineighbor_allgatherv(&rank, 1, MPI_INT, in, counts_in, places_in, MPI_INT, comm, &r));
    if (kind == 2)
      OK(MPI_Neighbor_allgatherv_init(&rank, 1, MPI_INT, in, counts_in, places_in, MPI_INT, comm, MPI_INFO_NULL, &r));
    if (kind == 3) OK(MPI_Neighbor_allgatherv_c(&rank, 1, MPI_INT, in, large_in, far_in, MPI_INT, comm));
    if (kind == 4) OK(MPI_Ineighbor_allgatherv_c(&rank, 1, MPI_INT, in, large_in, far_in, MPI_INT, comm, &r));
    if (kind == 5)
      OK(MPI_Neighbor_allgatherv_init_c(&rank, 1, MPI_INT, in, large_in, far_in, MPI_INT, comm, MPI_INFO_NULL, &r));
    FINISH();
    for (int i = 0; i < n_in; ++i) CHECK(in[n_in - 1 - i] == (sources[i] == MPI_PROC_NULL ? -1 : sources[i]));
    memset(in, -1, sizeof in);
    for (int i = 0; i < n_out; ++i) out[i] = value(rank, i);
    if (kind == 0) OK(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm));
    if (kind == 1) OK(MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &r));
    if (kind == 2) OK(MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, &r));
    if (kind == 3) OK(MPI_Neighbor_alltoall_c(out, 1, MPI_INT, in, 1, MPI_INT, comm));
    if (kind == 4) OK(MPI_Ineighbor_alltoall_c(out, 1, MPI_INT, in, 1, MPI_INT, comm, &r));
    if (kind == 5) OK(MPI_Neighbor_alltoall_init_c(out, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, &r));
    FINISH();
    for (int i = 0; i < n_in; ++i) CHECK(in[i] == (sources[i] == MPI_PROC_NULL ? -1 : value(sources[i], sent_as[i])));
    for (int i = 0; i < n_out; ++i) out[places_out[i]] = value(rank, i);
    for (int w = 0; w < 2; ++w) {
      memset(in, -1, sizeof in);
      const int *ci = counts_in, *pi = places_in, *co = counts_out, *po = places_out;
      if (w == 0 && kind == 0) OK(MPI_Neighbor_alltoallv(out, co, po, MPI_INT, in, ci, pi, MPI_INT, comm));
      if (w == 0 && kind == 1) OK(MPI_Ineighbor_alltoallv(out, co, po, MPI_INT, in, ci, pi, MPI_INT, comm, &r));
      if (w == 0 && kind == 2)
        OK(MPI_Neighbor_alltoallv_init(out, co, po, MPI_INT, in, ci, pi, MPI_INT, comm, MPI_INFO_NULL, &r));
      if (w == 0 && kind == 3)
        OK(MPI_Neighbor_alltoallv_c(out, large_out, far_out, MPI_INT, in, large_in, far_in, MPI_INT, comm));
      if (w == 0 && kind == 4)
        OK(MPI_Ineighbor_alltoallv_c(out, large_out, far_out, MPI_INT, in, large_in, far_in, MPI_INT, comm, &r));
      if (w == 0 && kind == 5)
        OK(MPI_Neighbor_alltoallv_init_c(out, large_out, far_out, MPI_INT, in, large_in, far_in, MPI_INT, comm,
                                         MPI_INFO_NULL, &r));
      if (w == 1 && kind == 0) OK(MPI_Neighbor_alltoallw(out, co, bytes_out, types, in, ci, bytes_in, types, comm));
      if (w == 1 && kind == 1) OK(MPI_Ineighbor_alltoallw(out, co, bytes_out, types, in, ci, bytes_in, types, comm, &r));
      if (w == 1 && kind == 2)
        OK(MPI_Neighbor_alltoallw_init(out, co, bytes_out, types, in, ci, bytes_in, types, comm, MPI_INFO_NULL, &r));
      if (w == 1 && kind == 3)
        OK(MPI_Neighbor_alltoallw_c(out, large_out, bytes_out, types, in, large_in, bytes_in, types, comm));
      if (w == 1 && kind == 4)
        OK(MPI_Ineighbor_alltoallw_c(out, large_out, bytes_out, types, in, large_in, bytes_in, types, comm, &r));
      if (w == 1 && kind == 5)
        OK(MPI_Neighbor_alltoallw_init_c(out, large_out, bytes_out, types, in, large_in, bytes_in, types, comm,
                                         MPI_INFO_NULL, &r));
      FINISH();
      for (int i = 0; i < n_in; ++i)
        CHECK(in[n_in - 1 - i] == (sources[i] == MPI_PROC_NULL ? -1 : value(sources[i], sent_as[i])));
    }
  }
}

static void grid(int periodic) {
  MPI_Comm comm;
  const int dims[1] = {size}, periods[1] = {periodic};
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm));
  const int end = !periodic;
  const int sources[2] = {end && rank == 0 ? MPI_PROC_NULL : (rank + size - 1) % size,
                          end && rank == size - 1 ? MPI_PROC_NULL : (rank + 1) % size};
  const int sent_as[2] = {1, 0}; /* block that the lower neighbour sent up */
  exchange(comm, 2, sources, sent_as, 2);
  OK(MPI_Comm_free(&comm));
}

/* A star: rank 0 is connected to all other ranks. */
static void star(void) {
  MPI_Comm comm, twin;
  int *index = malloc(sizeof(int) * size), *edges = malloc(sizeof(int) * 2 * size), n = 0;
  for (int r = 1; r < size; ++r) edges[n++] = r;
  index[0] = n;
  for (int r = 1; r < size; ++r) edges[n++] = 0, index[r] = n;
  OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 1, &comm));
  int kind = 0, nodes = 0, all = 0, degree = -1, list[most];
  OK(MPI_Topo_test(comm, &kind));
  OK(MPI_Graphdims_get(comm, &nodes, &all));
  CHECK(kind == MPI_GRAPH && nodes == size && all == 2 * (size - 1));
  OK(MPI_Comm_dup(comm, &twin));
  int *index_again = malloc(sizeof(int) * size), *edges_again = malloc(sizeof(int) * 2 * size);
  OK(MPI_Graph_get(twin, size, all, index_again, edges_again));
  CHECK(!memcmp(index, index_again, sizeof(int) * size) && !memcmp(edges, edges_again, sizeof(int) * all));
  OK(MPI_Graph_neighbors_count(twin, 0, &degree));
  CHECK(degree == size - 1);
  OK(MPI_Graph_neighbors(twin, size - 1, most, list));
  CHECK(size == 1 || list[0] == 0);
  int sources[most], sent_as[most];
  for (int i = 0; i < size - 1; ++i) sources[i] = rank == 0 ? i + 1 : 0, sent_as[i] = rank == 0 ? 0 : rank - 1;
  const int mine = rank == 0 ? size - 1 : 1;
  exchange(twin, mine, sources, sent_as, mine);
  OK(MPI_Comm_free(&twin));
  OK(MPI_Comm_free(&comm));
  free(index), free(edges), free(index_again), free(edges_again);
}

/* Directed: rank r sends to r + 1 twice and to r + 2, with weights. */
static void directed(int adjacent) {
  MPI_Comm comm;
  const int to[3] = {(rank + 1) % size, (rank + 1) % size, (rank + 2) % size}, weights[3] = {rank, rank + 1, rank + 2};
  const int from[3] = {(rank + size - 1) % size, (rank + size - 1) % size, (rank + 2 * size - 2) % size};
  const int in_weights[3] = {from[0], from[1] + 1, from[2] + 2};
  if (adjacent)
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, from, in_weights, 3, to, weights, MPI_INFO_NULL, 0, &comm));
  else { /* each rank passes the edges of the next rank */
    const int told[1] = {(rank + 1) % size}, degree[1] = {3};
    const int ends[3] = {(told[0] + 1) % size, (told[0] + 1) % size, (told[0] + 2) % size};
    const int their[3] = {told[0], told[0] + 1, told[0] + 2};
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, told, degree, ends, their, MPI_INFO_NULL, 0, &comm));
  }
  int kind = 0, n_in = 0, n_out = 0, weighted = 0, sources[most], source_weights[most], destinations[most],
      dest_weights[most];
  OK(MPI_Topo_test(comm, &kind));
  OK(MPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &weighted));
  CHECK(kind == MPI_DIST_GRAPH && n_in == 3 && n_out == 3 && weighted);
  OK(MPI_Dist_graph_neighbors(comm, most, sources, source_weights, most, destinations, dest_weights));
  /* in any order: multiplicity and weights of each edge */
  int sum_in = 0, sum_out = 0, sum_w = 0, sum_v = 0;
  for (int i = 0; i < 3; ++i)
    sum_in += sources[i] - from[i], sum_out += destinations[i] - to[i], sum_w += source_weights[i] - in_weights[i],
        sum_v += dest_weights[i] - weights[i];
  CHECK(sum_in == 0 && sum_out == 0 && sum_w == 0 && sum_v == 0);
  if (adjacent) {
    /* edges between the same ranks match in their order; with fewer than three ranks the orders of both ends differ */
    const int sent_as[3] = {0, 1, 2};
    if (size > 2 && all_cases) exchange(comm, 3, from, sent_as, 3);
  }
  OK(MPI_Comm_free(&comm));
}

/* Only to the last rank, without weights: most have no neighbours on one side. */
static void funnel(void) {
  MPI_Comm comm;
  int from[most], sent_as[most];
  const int to[1] = {size - 1}, last = rank == size - 1;
  for (int r = 0; r < size; ++r) from[r] = r, sent_as[r] = 0;
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, last ? size : 0, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED,
                                    MPI_INFO_NULL, 0, &comm));
  int n_in = -1, n_out = -1, weighted = -1;
  OK(MPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &weighted));
  CHECK(n_in == (last ? size : 0) && n_out == 1 && !weighted);
  if (all_cases) exchange(comm, n_in, from, sent_as, 1);
  OK(MPI_Comm_free(&comm));
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  all_cases = argc > 1;
  grid(0);
  if (size > 2 || all_cases) grid(1);
  star();
  directed(0);
  directed(1);
  funnel();
  /* a part of the ranks; a communicator without neighbours */
  MPI_Comm pair;
  const int index[2] = {1, 2}, edges[2] = {1, 0};
  if (size > 1) {
    OK(MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &pair));
    CHECK((pair == MPI_COMM_NULL) == (rank > 1));
    if (pair != MPI_COMM_NULL) {
      int got = -1;
      OK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, pair));
      CHECK(got == 1 - rank);
      OK(MPI_Comm_free(&pair));
    }
  }
  OK(MPI_Finalize());
  if (rank == 0) printf("neighbors: ok, %d ranks\n", size);
  return 0;
}
