/* Objects that are forwarded to the vendor, within one cluster: windows, files, topologies, groups, attributes, error
 * handlers, intercommunicators, generalised requests, packing. Oracle: values computed from the ranks, and the standard's
 * rules. */
#include "check.h"

static int rank, size;
/* A program that refers to environ has a copy of the variable of libc. Open MPI must use this copy; otherwise Open MPI
 * aborts in MPI_Init. */
extern char** environ;

static void windows(void) {
  int* memory;
  MPI_Win win;
  /* 256 bytes, because MPICH 4.0.2 confuses windows if their size is not a multiple of 8, even without the bridge */
  OK(MPI_Win_allocate(256, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  for (int i = 0; i <= size; ++i) memory[i] = -1;
  memory[size] = 0;
  OK(MPI_Win_fence(0, win));
  const int v = 100 + rank, one = 1;
  for (int r = 0; r < size; ++r) {
    OK(MPI_Put(&v, 1, MPI_INT, r, rank, 1, MPI_INT, win));
    OK(MPI_Accumulate(&one, 1, MPI_INT, r, size, 1, MPI_INT, MPI_SUM, win));
  }
  OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  for (int r = 0; r < size; ++r) CHECK(memory[r] == 100 + r);
  CHECK(memory[size] == size);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  int got = 0;
  OK(MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win));
  OK(MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, rank, 1, MPI_INT, win));
  OK(MPI_Win_unlock((rank + 1) % size, win));
  CHECK(got == 100 + rank);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  int before = -1;
  OK(MPI_Win_lock_all(0, win));
  OK(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, size, MPI_SUM, win));
  OK(MPI_Win_flush_all(win));
  OK(MPI_Win_unlock_all(win));
  CHECK(before >= size && before < 2 * size);
  int *flavor = NULL, flag = 0;
  OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
  CHECK(flag && *flavor == MPI_WIN_FLAVOR_ALLOCATE);
  OK(MPI_Win_free(&win));
  CHECK(win == MPI_WIN_NULL);
}

static void files(const char* path) {
  enum { n = 1000 };
  MPI_File file;
  MPI_Status status;
  int out[n], in[n], count = 0, amode = 0;
  MPI_Offset bytes = 0;
  for (int i = 0; i < n; ++i) out[i] = rank * n + i;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  OK(MPI_File_get_amode(file, &amode));
  CHECK(amode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE));
  /* rank r writes every size-th integer */
  MPI_Datatype strided;
  OK(MPI_Type_vector(n, 1, size, MPI_INT, &strided));
  OK(MPI_Type_commit(&strided));
  OK(MPI_File_set_view(file, (MPI_Offset)sizeof(int) * rank, MPI_INT, strided, "native", MPI_INFO_NULL));
  OK(MPI_File_write_all(file, out, n, MPI_INT, &status));
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == n);
  OK(MPI_File_sync(file));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_get_size(file, &bytes));
  CHECK(bytes == (MPI_Offset)sizeof(int) * n * size);
  OK(MPI_File_read_at_all(file, (MPI_Offset)n * rank, in, n, MPI_INT, &status));
  for (int i = 0; i < n; ++i) {
    const int place = n * rank + i;
    CHECK(in[i] == (place % size) * n + place / size);
  }
  OK(MPI_File_seek(file, 5, MPI_SEEK_SET));
  OK(MPI_File_seek(file, 2, MPI_SEEK_CUR));
  OK(MPI_File_get_position(file, &bytes));
  CHECK(bytes == 7);
  OK(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
  OK(MPI_Type_free(&strided));
  MPI_Errhandler handler;
  OK(MPI_File_get_errhandler(MPI_FILE_NULL, &handler));
  CHECK(handler == MPI_ERRORS_RETURN);
  const int e = MPI_File_open(MPI_COMM_SELF, "/nonexistent/folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  int class = 0;
  OK(MPI_Error_class(e, &class));
  CHECK(class == MPI_ERR_NO_SUCH_FILE);
}

static void topologies(void) {
  MPI_Comm ring, graph;
  const int dims[1] = {size}, periods[1] = {0};
  int kind = 0, low = 0, high = 0;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring));
  OK(MPI_Topo_test(ring, &kind));
  CHECK(kind == MPI_CART);
  OK(MPI_Cart_shift(ring, 0, 1, &low, &high));
  CHECK(low == (rank ? rank - 1 : MPI_PROC_NULL) && high == (rank + 1 < size ? rank + 1 : MPI_PROC_NULL));
  int in[2] = {-1, -1};
  OK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring));
  CHECK(in[0] == (rank ? rank - 1 : -1) && in[1] == (rank + 1 < size ? rank + 1 : -1));
  const int counts[2] = {1, 1};
  const MPI_Aint places[2] = {0, sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  const int out[2] = {rank, rank};
  MPI_Request request;
  in[0] = in[1] = -1;
  OK(MPI_Ineighbor_alltoallw(out, counts, places, types, in, counts, places, types, ring, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(in[0] == (rank ? rank - 1 : -1) && in[1] == (rank + 1 < size ? rank + 1 : -1));
  OK(MPI_Comm_free(&ring));
  const int from[1] = {(rank + 1) % size}, to[1] = {(rank + size - 1) % size};
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                    &graph));
  int indegree = 0, outdegree = 0, weighted = 1;
  OK(MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &weighted));
  CHECK(indegree == 1 && outdegree == 1 && !weighted);
  OK(MPI_Neighbor_alltoall(&rank, 1, MPI_INT, in, 1, MPI_INT, graph));
  CHECK(in[0] == from[0]);
  OK(MPI_Comm_free(&graph));
}

static void groups(void) {
  MPI_Group world, odd, even, both, none;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  int range[1][3] = {{0, size - 1, 2}}, result = 0, n = 0, me = 0;
  OK(MPI_Group_range_incl(world, 1, range, &even));
  OK(MPI_Group_difference(world, even, &odd));
  OK(MPI_Group_union(even, odd, &both));
  OK(MPI_Group_intersection(even, odd, &none));
  OK(MPI_Group_size(even, &n));
  CHECK(n == (size + 1) / 2);
  OK(MPI_Group_compare(world, both, &result));
  CHECK(result == (size <= 2 ? MPI_IDENT : MPI_SIMILAR));
  OK(MPI_Group_rank(even, &me));
  CHECK(me == (rank % 2 ? MPI_UNDEFINED : rank / 2));
  OK(MPI_Group_translate_ranks(world, 1, &rank, odd, &me));
  CHECK(me == (rank % 2 ? rank / 2 : MPI_UNDEFINED));
  CHECK(none == MPI_GROUP_EMPTY || (MPI_Group_size(none, &n) == MPI_SUCCESS && n == 0));
  MPI_Comm comm;
  OK(MPI_Comm_create(MPI_COMM_WORLD, even, &comm));
  CHECK((comm == MPI_COMM_NULL) == (rank % 2));
  if (comm != MPI_COMM_NULL) {
    OK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
    CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
    OK(MPI_Comm_free(&comm));
  }
  OK(MPI_Group_free(&world));
  OK(MPI_Group_free(&odd));
  OK(MPI_Group_free(&even));
  OK(MPI_Group_free(&both));
  CHECK(world == MPI_GROUP_NULL);
}

static int copies, deletions;
static int copy_value(MPI_Comm comm, int key, void* state, void* in, void* out, int* flag) {
  int n = 0; /* MPICH passes another handle of the same communicator */
  OK(MPI_Comm_size(comm, &n));
  CHECK(n == size && state == &copies && key != MPI_KEYVAL_INVALID);
  ++copies;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_value(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value;
  CHECK(state == &copies);
  ++deletions;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key, flag = 0, *limit = NULL;
  char base[4], *value = NULL;
  OK(MPI_Comm_create_keyval(copy_value, delete_value, &key, &copies));
  OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, base));
  MPI_Comm again;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &again));
  OK(MPI_Comm_get_attr(again, key, &value, &flag));
  CHECK(flag && value == base + 1 && copies == 1);
  OK(MPI_Comm_free(&again));
  CHECK(deletions == 1);
  OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
  CHECK(deletions == 2);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
  CHECK(!flag);
  OK(MPI_Comm_free_keyval(&key));
  CHECK(key == MPI_KEYVAL_INVALID);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag));
  CHECK(flag && *limit >= 32767);
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  OK(MPI_Comm_set_name(MPI_COMM_SELF, "alone"));
  OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
  CHECK(strcmp(name, "alone") == 0 && length == 5);
}

static int handled, handled_code;
static void on_error(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm == MPI_COMM_SELF);
  ++handled;
  handled_code = *code;
}

static void add_one_more(void* in, void* inout, int* n, MPI_Datatype* type) {
  CHECK(*type == MPI_INT);
  for (int i = 0; i < *n; ++i) ((int*)inout)[i] += ((int*)in)[i] + 1;
}

/* Programs create the same handler and operation repeatedly. */
static void many_of_one_function(void) {
  enum { many = 600 };
  MPI_Op operations[many];
  handled = 0;
  for (int k = 0; k < many; ++k) {
    MPI_Errhandler handler;
    OK(MPI_Comm_create_errhandler(on_error, &handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
    OK(MPI_Errhandler_free(&handler));
    MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
    OK(MPI_Op_create(add_one_more, 1, &operations[k]));
  }
  CHECK(handled == many && handled_code == MPI_ERR_OTHER);
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  for (int k = 0; k < many; ++k) {
    int a = 3, b = 4;
    OK(MPI_Reduce_local(&a, &b, 1, MPI_INT, operations[k]));
    CHECK(b == 8);
    OK(MPI_Op_free(&operations[k]));
  }
}

static void errors(void) {
  MPI_Errhandler handler, before;
  int v = 0, class = 0, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &before));
  CHECK(before == MPI_ERRORS_ARE_FATAL);
  OK(MPI_Comm_create_errhandler(on_error, &handler));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
  const int e = MPI_Send(&v, 1, MPI_INT, 5, 1, MPI_COMM_SELF);
  OK(MPI_Error_class(e, &class));
  CHECK(handled == 1 && class == MPI_ERR_RANK && handled_code == e);
  OK(MPI_Error_class(MPI_ERR_ABI, &class));
  CHECK(class == MPI_ERR_ABI);
  OK(MPI_Error_string(e, text, &length));
  CHECK(length > 0);
  OK(MPI_Errhandler_free(&handler));
  many_of_one_function();
  if (size > 1) { /* the message is too long; Open MPI 4.1 does not detect this error in a message of a rank to itself */
    const int two[2] = {1, 2};
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (rank == 0) OK(MPI_Send(two, 2, MPI_INT, 1, 77, MPI_COMM_WORLD));
    if (rank == 1) {
      OK(MPI_Error_class(MPI_Recv(&v, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class));
      CHECK(class == MPI_ERR_TRUNCATE);
    }
  }
  int own_class = 0, own_code = 0;
  OK(MPI_Add_error_class(&own_class));
  OK(MPI_Add_error_code(own_class, &own_code));
  OK(MPI_Add_error_string(own_code, "out of coffee"));
  CHECK(own_class > MPI_ERR_LASTCODE && own_code > own_class);
  OK(MPI_Error_string(own_code, text, &length));
  CHECK(strcmp(text, "out of coffee") == 0);
  OK(MPI_Error_class(own_code, &class));
  CHECK(class == own_class);
}

static void two_groups(void) {
  if (size < 2) return;
  MPI_Comm half, between, merged;
  OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
  OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 12, &between));
  int remote = 0, inter = 0, sum = 0, me = 0;
  OK(MPI_Comm_remote_size(between, &remote));
  OK(MPI_Comm_test_inter(between, &inter));
  CHECK(inter && remote == (rank % 2 ? (size + 1) / 2 : size / 2));
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between));
  int expected = 0;
  for (int r = 1 - rank % 2; r < size; r += 2) expected += r;
  CHECK(sum == expected);
  int v = rank == 0 ? 5 : 0;
  OK(MPI_Bcast(&v, 1, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between));
  CHECK(v == (rank % 2 || rank == 0 ? 5 : 0));
  OK(MPI_Intercomm_merge(between, rank % 2, &merged));
  OK(MPI_Comm_rank(merged, &me));
  CHECK(me == rank / 2 + (rank % 2 ? (size + 1) / 2 : 0));
  OK(MPI_Comm_free(&merged));
  OK(MPI_Comm_free(&between));
  OK(MPI_Comm_free(&half));
}

static int query(void* state, MPI_Status* status) {
  OK(MPI_Status_set_elements(status, MPI_INT, *(int*)state));
  OK(MPI_Status_set_cancelled(status, 0));
  status->MPI_SOURCE = MPI_PROC_NULL;
  status->MPI_TAG = 4;
  return MPI_SUCCESS;
}
static int released;
static int release(void* state) {
  (void)state;
  ++released;
  return MPI_SUCCESS;
}
static int no_cancel(void* state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

static void requests_types_and_packing(void) {
  MPI_Request request;
  MPI_Status status;
  int elements = 6, count = 0;
  OK(MPI_Grequest_start(query, release, no_cancel, &elements, &request));
  OK(MPI_Grequest_complete(request));
  OK(MPI_Wait(&request, &status));
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == 6 && status.MPI_TAG == 4 && status.MPI_SOURCE == MPI_PROC_NULL && released == 1);

  const int sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 2};
  MPI_Datatype block, named[1];
  OK(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &block));
  OK(MPI_Type_commit(&block));
  int n_integers = 0, n_addresses = 0, n_types = 0, combiner = 0, integers[8];
  OK(MPI_Type_get_envelope(block, &n_integers, &n_addresses, &n_types, &combiner));
  CHECK(combiner == MPI_COMBINER_SUBARRAY && n_integers == 8 && n_types == 1);
  OK(MPI_Type_get_contents(block, 8, 0, 1, integers, NULL, named));
  CHECK(integers[7] == MPI_ORDER_C && named[0] == MPI_INT);
  /* repeat the test with the functions with large counts, which are missing in Open MPI 4; the functions of MPICH 4 create
   * different types */
  MPI_Count large_integers, large_addresses, large_counts, large_types, counts[8];
  MPI_Datatype row;
  OK(MPI_Type_vector_c(3, 1, 2, MPI_INT, &row));
  OK(MPI_Type_get_envelope_c(row, &large_integers, &large_addresses, &large_counts, &large_types, &combiner));
  CHECK(combiner == MPI_COMBINER_VECTOR && large_integers + large_counts == 3 && large_types == 1);
  OK(MPI_Type_get_contents_c(row, large_integers, 0, large_counts, 1, integers, NULL, counts, named));
  CHECK(named[0] == MPI_INT && (large_counts ? counts[2] : integers[2]) == 2);
  OK(MPI_Type_free(&row));
  OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &row));
  CHECK(row == MPI_DOUBLE_INT);
  int matrix[4][6], position = 0, back[6];
  for (int i = 0; i < 24; ++i) matrix[i / 6][i % 6] = i;
  char packed[100];
  OK(MPI_Pack(matrix, 1, block, packed, sizeof packed, &position, MPI_COMM_WORLD));
  position = 0;
  OK(MPI_Unpack(packed, sizeof packed, &position, back, 6, MPI_INT, MPI_COMM_WORLD));
  for (int i = 0; i < 6; ++i) CHECK(back[i] == (1 + i / 3) * 6 + 2 + i % 3);
  MPI_Aint at = 0;
  const double pi = 3.25;
  OK(MPI_Pack_external("external32", &pi, 1, MPI_DOUBLE, packed, sizeof packed, &at));
  CHECK(at == 8 && packed[0] == 0x40 && packed[1] == 0x0a);
  OK(MPI_Type_free(&block));
  MPI_Count large = 0;
  OK(MPI_Type_size_c(MPI_DOUBLE, &large));
  CHECK(large == 8);
  double sum[2] = {1, 2}, more[2] = {3, 4};
  OK(MPI_Reduce_local_c(sum, more, 2, MPI_DOUBLE, MPI_PROD));
  CHECK(more[0] == 3 && more[1] == 8);
  MPI_Info info;
  char value[32];
  int flag = 0;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "color", "blue"));
  OK(MPI_Info_get(info, "color", 31, value, &flag));
  CHECK(flag && strcmp(value, "blue") == 0);
  OK(MPI_Info_free(&info));
  CHECK(info == MPI_INFO_NULL && MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int provided = -1, level = -1;
  OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
  OK(MPI_Query_thread(&level));
  CHECK(provided >= MPI_THREAD_FUNNELED && level == provided);
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  CHECK(environ[0] != NULL);
  windows();
  files(argc > 1 ? argv[1] : "objects.scratch");
  topologies();
  groups();
  attributes();
  two_groups();
  requests_types_and_packing();
  errors();
  OK(MPI_Finalize());
  if (rank == 0) printf("objects: ok, %d ranks\n", size);
  return 0;
}
