/* Properties of a job over clusters: rejected functions and their errors; forwarded local functions; grids and
 * groups over clusters. Oracle: the table of bridge/docs/bridge.md, values computed from the ranks. */
#include "check.h"

static int rank, size;

static int class_of(int code) {
  int class = -1;
  OK(MPI_Error_class(code, &class));
  return class;
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));

  /* rejected, with a text */
  MPI_Win win;
  MPI_File file;
  MPI_Comm between;
  int memory[4], length = 0;
  char text[MPI_MAX_ERROR_STRING];
  int e = MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CHECK(class_of(e) == MPI_ERR_UNSUPPORTED_OPERATION);
  OK(MPI_Error_string(e, text, &length));
  CHECK(strstr(text, "MPI_Win_create") && strstr(text, "spans clusters"));
  e = MPI_File_open(MPI_COMM_WORLD, "never", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  CHECK(class_of(e) == MPI_ERR_UNSUPPORTED_OPERATION);
  e = MPI_Comm_accept("never", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between);
  CHECK(class_of(e) == MPI_ERR_UNSUPPORTED_OPERATION);
  e = MPI_Send(memory, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  CHECK(class_of(e) == MPI_ERR_RANK);

  /* too long messages are reported, even from another cluster */
  if (rank == size - 1) OK(MPI_Send(memory, 4, MPI_INT, 0, 9, MPI_COMM_WORLD));
  if (rank == 0) {
    e = MPI_Recv(memory, 2, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(class_of(e) == MPI_ERR_TRUNCATE);
  }

  /* inside a cluster, objects of the vendor are used, including windows */
  MPI_Comm near;
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near));
  int n = 0, me = 0, *shared = NULL;
  OK(MPI_Comm_size(near, &n));
  OK(MPI_Comm_rank(near, &me));
  CHECK(n < size);
  OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, near, &shared, &win));
  OK(MPI_Win_fence(0, win));
  OK(MPI_Put(&rank, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, win));
  OK(MPI_Win_fence(0, win));
  CHECK(shared[0] == (me ? rank - 1 : rank + n - 1));
  OK(MPI_Win_free(&win));
  OK(MPI_Comm_free(&near));

  /* a ring over all clusters, and its rows */
  MPI_Comm ring, row;
  const int dims[2] = {size / 2, 2}, periods[2] = {1, 0};
  int low = 0, high = 0, coords[2], got = -1, kind = 0;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &ring));
  OK(MPI_Topo_test(ring, &kind));
  OK(MPI_Cart_coords(ring, rank, 2, coords));
  CHECK(kind == MPI_CART && coords[0] == rank / 2 && coords[1] == rank % 2);
  OK(MPI_Cart_shift(ring, 0, 1, &low, &high));
  CHECK(high == (rank + 2) % size && low == (rank + size - 2) % size);
  OK(MPI_Sendrecv(&rank, 1, MPI_INT, high, 1, &got, 1, MPI_INT, low, 1, ring, MPI_STATUS_IGNORE));
  CHECK(got == low);
  OK(MPI_Cart_shift(ring, 1, 1, &low, &high));
  CHECK(high == (rank % 2 ? MPI_PROC_NULL : rank + 1));
  const int remain[2] = {1, 0};
  OK(MPI_Cart_sub(ring, remain, &row));
  int sum = 0, expected = 0;
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, row));
  for (int r = rank % 2; r < size; r += 2) expected += r;
  CHECK(sum == expected);
  OK(MPI_Comm_free(&row));
  OK(MPI_Comm_free(&ring));

  /* only the members call the function: the first and the last rank, in different clusters */
  MPI_Group world, ends;
  MPI_Comm pair;
  const int two[2] = {size - 1, 0};
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_incl(world, 2, two, &ends));
  if (rank == 0 || rank == size - 1) {
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, ends, 3, &pair));
    OK(MPI_Comm_rank(pair, &me));
    CHECK(me == (rank ? 0 : 1));
    got = rank;
    OK(MPI_Bcast(&got, 1, MPI_INT, 0, pair));
    CHECK(got == size - 1);
    OK(MPI_Comm_free(&pair));
  }
  OK(MPI_Group_free(&ends));
  OK(MPI_Group_free(&world));

  /* one call for two groups without common members: the first and the last rank, and all other ranks */
  MPI_Group others;
  MPI_Comm mine;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_incl(world, 2, two, &ends));
  OK(MPI_Group_excl(world, 2, two, &others));
  const int is_end = rank == 0 || rank == size - 1;
  OK(MPI_Comm_create(MPI_COMM_WORLD, is_end ? ends : others, &mine));
  OK(MPI_Comm_size(mine, &n));
  CHECK(n == (is_end ? 2 : size - 2));
  sum = 0;
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, mine));
  CHECK(sum == (is_end ? size - 1 : size * (size - 1) / 2 - size + 1));
  OK(MPI_Comm_free(&mine));
  if (others != MPI_GROUP_EMPTY) OK(MPI_Group_free(&others));
  OK(MPI_Group_free(&ends));
  OK(MPI_Group_free(&world));

  /* repeat the test with a duplicate, created by all ranks and by each rank alone */
  for (int alone = 0; alone < 2; ++alone) {
    MPI_Comm twin, again;
    MPI_Group members;
    int alike;
    OK(MPI_Comm_dup(alone ? MPI_COMM_SELF : MPI_COMM_WORLD, &twin));
    OK(MPI_Comm_group(twin, &members));
    OK(MPI_Comm_create_group(twin, members, 5, &again));
    OK(MPI_Comm_compare(twin, again, &alike));
    CHECK(alike == MPI_CONGRUENT);
    OK(MPI_Group_free(&members));
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&twin));
  }

  /* a cycle of long messages to near and far ranks, with receives before sends; a library that waits in only one place would
   * deadlock */
  enum { large = 400000 };
  double *out = calloc(large, sizeof(double)), *in = calloc(large, sizeof(double));
  for (int shift = 1; shift < size; ++shift) {
    MPI_Request r;
    const int to = (rank + shift) % size, from = (rank + size - shift) % size;
    out[large - 1] = rank;
    OK(MPI_Irecv(in, large, MPI_DOUBLE, from, 4, MPI_COMM_WORLD, &r));
    OK(MPI_Send(out, large, MPI_DOUBLE, to, 4, MPI_COMM_WORLD));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK(in[large - 1] == from);
  }
  free(out), free(in);
  OK(MPI_Finalize());
  if (rank == 0) printf("spanning: ok, %d ranks\n", size);
  return 0;
}
