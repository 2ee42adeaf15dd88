/* Functions missing in an MPI of version 3 and on communicators over clusters, with one implementation: persistent
 * collectives, MPI_Isendrecv, nonblocking collectives with arrays of large counts, reductions with large counts,
 * MPI_Comm_idup_with_info; and their requests in lists with other requests. Oracle: values computed from the ranks. */
#include "check.h"

static int rank, size;

static long sum_of_ranks(int n) { return (long)n * (n - 1) / 2; }

static void last_of_two(void* in, void* inout, MPI_Count* n, MPI_Datatype* type) {
  /* 2x2 matrices: associative, not commutative */
  long *a = in, *b = inout;
  (void)type;
  for (MPI_Count k = 0; k < *n; ++k, a += 4, b += 4) {
    const long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                       a[2] * b[1] + a[3] * b[3]};
    memcpy(b, c, sizeof c);
  }
}

static int again(MPI_Request* r) {
  OK(MPI_Start(r));
  OK(MPI_Wait(r, MPI_STATUS_IGNORE));
  CHECK(*r != MPI_REQUEST_NULL);
  return 1;
}

/* Each request is started three times with different data in its buffers. */
/* All ranks create the requests in one order. Each rank starts the requests in a different order. */
static void started_in_any_order(MPI_Comm comm) {
  enum { n = 4 };
  int rank = 0, size = 0, sent[n], sum[n], value = -1;
  MPI_Request r[n + 2];
  OK(MPI_Comm_rank(comm, &rank));
  OK(MPI_Comm_size(comm, &size));
  for (int k = 0; k < n; ++k) OK(MPI_Allreduce_init(&sent[k], &sum[k], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r[k]));
  OK(MPI_Bcast_init(&value, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &r[n]));
  OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &r[n + 1]));
  for (int turn = 0; turn < 3; ++turn) {
    value = rank == 0 ? 42 + turn : -1;
    for (int k = 0; k < n; ++k) sent[k] = 10 * k + turn;
    for (int k = 0; k < n + 2; ++k) OK(MPI_Start(&r[(k + rank) % (n + 2)]));
    OK(MPI_Waitall(n + 2, r, MPI_STATUSES_IGNORE));
    CHECK(value == 42 + turn);
    for (int k = 0; k < n; ++k) CHECK(sum[k] == size * (10 * k + turn));
  }
  for (int k = 0; k < n + 2; ++k) OK(MPI_Request_free(&r[k]));
}

static void persistent(MPI_Comm comm) {
  int me, n;
  OK(MPI_Comm_rank(comm, &me));
  OK(MPI_Comm_size(comm, &n));
  int *out = malloc(sizeof(int) * 4 * n), *in = malloc(sizeof(int) * 4 * n), *counts = malloc(sizeof(int) * n),
      *places = malloc(sizeof(int) * n), *bytes = malloc(sizeof(int) * n);
  MPI_Count* large = malloc(sizeof(MPI_Count) * n);
  MPI_Aint* far = malloc(sizeof(MPI_Aint) * n);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * n);
  MPI_Request r[22];
  int root = n - 1, value = 0, sum = 0, total = 0, part = 0, up = 0, below = 0, all_in[2] = {0, 0}, scattered = 0,
      scattered_v = 0;
  int *gathered = malloc(sizeof(int) * n), *gathered_v = malloc(sizeof(int) * n), *everywhere = malloc(sizeof(int) * n),
      *everywhere_v = malloc(sizeof(int) * n), *crossed = malloc(sizeof(int) * n), *crossed_v = malloc(sizeof(int) * n),
      *crossed_w = malloc(sizeof(int) * n), *large_v = malloc(sizeof(int) * n);
  for (int i = 0; i < n; ++i)
    counts[i] = 1, places[i] = n - 1 - i, bytes[i] = 4 * places[i], types[i] = MPI_INT, large[i] = 1, far[i] = places[i];
  int k = 0;
  OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Bcast_init(&value, 1, MPI_INT, root, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Reduce_init(&me, &total, 1, MPI_INT, MPI_SUM, root, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Allreduce_init(out, all_in, 2, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Scan_init(out, &up, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Exscan_init(out, &below, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Reduce_scatter_init(out, &part, counts, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Reduce_scatter_block_init(out, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Gather_init(out, 1, MPI_INT, gathered, 1, MPI_INT, root, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Gatherv_init(out, 1, MPI_INT, gathered_v, counts, places, MPI_INT, root, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Scatter_init(out, 1, MPI_INT, &scattered, 1, MPI_INT, root, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Scatterv_init(out, counts, places, MPI_INT, &scattered_v, 1, MPI_INT, root, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Allgather_init(out, 1, MPI_INT, everywhere, 1, MPI_INT, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Allgatherv_init(out, 1, MPI_INT, everywhere_v, counts, places, MPI_INT, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Alltoall_init(out, 1, MPI_INT, crossed, 1, MPI_INT, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Alltoallv_init(out, counts, places, MPI_INT, crossed_v, counts, places, MPI_INT, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Alltoallw_init(out, counts, bytes, types, crossed_w, counts, bytes, types, comm, MPI_INFO_NULL, &r[k++]));
  OK(MPI_Alltoallv_init_c(out, large, far, MPI_INT, large_v, large, far, MPI_INT, comm, MPI_INFO_NULL, &r[k++]));
  /* not started: completes at once */
  MPI_Status status;
  int flag = 0, count = -1;
  OK(MPI_Wait(&r[0], &status));
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && r[0] != MPI_REQUEST_NULL);
  OK(MPI_Testall(k, r, &flag, MPI_STATUSES_IGNORE));
  CHECK(flag);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i) out[i] = 1000 * round + 10 * me + i;
    value = me == root ? 7 + round : -1;
    if (round == 0) {
      for (int i = 0; i < k; ++i) again(&r[i]);
    } else {
      /* in order, but completed together, or as they arrive */
      OK(MPI_Startall(k, r));
      if (round == 1) {
        OK(MPI_Waitall(k, r, MPI_STATUSES_IGNORE));
      } else {
        for (int left = k; left > 0;) {
          int which = -1;
          OK(MPI_Waitany(k, r, &which, MPI_STATUS_IGNORE));
          CHECK(which >= 0 && which < k);
          --left;
        }
        OK(MPI_Waitany(k, r, &count, &status));
        CHECK(count == MPI_UNDEFINED);
      }
    }
    const int base = 1000 * round;
    CHECK(value == 7 + round);
    if (me == root) CHECK(total == sum_of_ranks(n));
    CHECK(all_in[0] == base + 10 * (n - 1));
    CHECK(up == base * (me + 1) + 10 * sum_of_ranks(me + 1));
    if (me > 0) CHECK(below == base * me + 10 * sum_of_ranks(me));
    CHECK(part == n * (base + me) + 10 * sum_of_ranks(n) && sum == part);
    CHECK(scattered == base + 10 * root + me && scattered_v == base + 10 * root + n - 1 - me);
    for (int i = 0; i < n; ++i) {
      if (me == root) CHECK(gathered[i] == base + 10 * i && gathered_v[n - 1 - i] == base + 10 * i);
      CHECK(everywhere[i] == base + 10 * i && everywhere_v[n - 1 - i] == base + 10 * i);
      CHECK(crossed[i] == base + 10 * i + me);
      CHECK(crossed_v[n - 1 - i] == base + 10 * i + n - 1 - me && crossed_w[n - 1 - i] == crossed_v[n - 1 - i]);
      CHECK(large_v[n - 1 - i] == crossed_v[n - 1 - i]);
    }
  }
  for (int i = 0; i < k; ++i) {
    OK(MPI_Request_free(&r[i]));
    CHECK(r[i] == MPI_REQUEST_NULL);
  }
  free(out), free(in), free(counts), free(places), free(bytes), free(large), free(far), free(types);
  free(gathered), free(gathered_v), free(everywhere), free(everywhere_v), free(crossed), free(crossed_v), free(crossed_w),
      free(large_v);
}

/* The program frees types and operations while a persistent request still uses them. */
static void freed_before_start(void) {
  MPI_Datatype matrix;
  MPI_Op product;
  MPI_Request r;
  long mine[4] = {1, rank, 0, 1}, all[4] = {0};
  OK(MPI_Type_contiguous(4, MPI_LONG, &matrix));
  OK(MPI_Type_commit(&matrix));
  OK(MPI_Op_create_c(last_of_two, 0, &product));
  OK(MPI_Allreduce_init(mine, all, 1, matrix, product, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
  OK(MPI_Type_free(&matrix));
  OK(MPI_Op_free(&product));
  CHECK(matrix == MPI_DATATYPE_NULL && product == MPI_OP_NULL);
  again(&r);
  CHECK(all[0] == 1 && all[1] == sum_of_ranks(size) && all[2] == 0 && all[3] == 1);
  OK(MPI_Request_free(&r));
}

static void send_and_receive(MPI_Comm comm) {
  int me, n, flag = 0;
  OK(MPI_Comm_rank(comm, &me));
  OK(MPI_Comm_size(comm, &n));
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  double out[3] = {me, 2, 3}, in[3] = {-1, -1, -1};
  MPI_Request r[3];
  MPI_Status status, all[3];
  OK(MPI_Isendrecv(out, 3, MPI_DOUBLE, to, 4, in, 3, MPI_DOUBLE, from, 4, comm, &r[0]));
  OK(MPI_Wait(&r[0], &status));
  int count = 0;
  OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
  CHECK(r[0] == MPI_REQUEST_NULL && count == 3 && status.MPI_SOURCE == from && status.MPI_TAG == 4 && in[0] == from);
  OK(MPI_Isendrecv_replace_c(out, 3, MPI_DOUBLE, to, 5, from, 5, comm, &r[0]));
  do OK(MPI_Test(&r[0], &flag, &status));
  while (!flag);
  CHECK(out[0] == from && out[2] == 3 && status.MPI_SOURCE == from);
  /* columns of a matrix, replaced in place */
  MPI_Datatype column;
  int matrix[3][2] = {{me, -1}, {me + 1, -2}, {me + 2, -3}};
  OK(MPI_Type_vector(3, 1, 2, MPI_INT, &column));
  OK(MPI_Type_commit(&column));
  OK(MPI_Isendrecv_replace(matrix, 1, column, to, 6, MPI_ANY_SOURCE, 6, comm, &r[0]));
  OK(MPI_Type_free(&column));
  OK(MPI_Waitall(1, r, all));
  CHECK(matrix[0][0] == from && matrix[2][0] == from + 2 && matrix[1][1] == -2 && all[0].MPI_SOURCE == from);
  /* with MPI_PROC_NULL; and in a list with other requests */
  int got = -1;
  OK(MPI_Isendrecv(&me, 1, MPI_INT, MPI_PROC_NULL, 7, &got, 1, MPI_INT, MPI_PROC_NULL, 7, comm, &r[0]));
  OK(MPI_Irecv(&got, 1, MPI_INT, from, 8, comm, &r[1]));
  OK(MPI_Isendrecv(&me, 1, MPI_INT, to, 8, NULL, 0, MPI_INT, MPI_PROC_NULL, 8, comm, &r[2]));
  int some = 0, places[3], done = 0;
  while (done < 3) {
    OK(MPI_Waitsome(3, r, &some, places, all));
    CHECK(some > 0);
    for (int i = 0; i < some; ++i) CHECK(places[i] == 1 ? all[i].MPI_SOURCE == from : all[i].MPI_SOURCE == MPI_PROC_NULL);
    done += some;
  }
  CHECK(got == from && r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL && r[2] == MPI_REQUEST_NULL);
  OK(MPI_Waitsome(3, r, &some, places, all));
  CHECK(some == MPI_UNDEFINED);
  /* the request is freed, but the message still arrives */
  OK(MPI_Isendrecv(&me, 1, MPI_INT, to, 9, NULL, 0, MPI_INT, MPI_PROC_NULL, 9, comm, &r[0]));
  OK(MPI_Request_free(&r[0]));
  OK(MPI_Recv(&got, 1, MPI_INT, from, 9, comm, MPI_STATUS_IGNORE));
  CHECK(got == from);
}

/* Nonblocking collectives with arrays of large counts. The arrays may be freed only after completion. The bridge uses
 * converted copies of the arrays. */
static void large_arrays(MPI_Comm comm) {
  int me, n;
  OK(MPI_Comm_rank(comm, &me));
  OK(MPI_Comm_size(comm, &n));
  MPI_Count* counts = malloc(sizeof(MPI_Count) * n);
  MPI_Aint *places = malloc(sizeof(MPI_Aint) * n), *bytes = malloc(sizeof(MPI_Aint) * n);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * n);
  int *out = malloc(sizeof(int) * n), *a = malloc(sizeof(int) * n), *b = malloc(sizeof(int) * n),
      *c = malloc(sizeof(int) * n), *d = malloc(sizeof(int) * n), s = -1, sum = -1;
  MPI_Request r[6];
  for (int i = 0; i < n; ++i)
    counts[i] = 1, places[i] = n - 1 - i, bytes[i] = 4 * places[i], types[i] = MPI_INT, out[n - 1 - i] = 10 * me + i;
  OK(MPI_Igatherv_c(&me, 1, MPI_INT, a, me == 0 ? counts : NULL, me == 0 ? places : NULL, MPI_INT, 0, comm, &r[0]));
  OK(MPI_Iscatterv_c(out, me == 0 ? counts : NULL, me == 0 ? places : NULL, MPI_INT, &s, 1, MPI_INT, 0, comm, &r[1]));
  OK(MPI_Iallgatherv_c(&me, 1, MPI_INT, b, counts, places, MPI_INT, comm, &r[2]));
  OK(MPI_Ialltoallv_c(out, counts, places, MPI_INT, c, counts, places, MPI_INT, comm, &r[3]));
  OK(MPI_Ialltoallw_c(out, counts, bytes, types, d, counts, bytes, types, comm, &r[4]));
  OK(MPI_Ireduce_scatter_c(out, &sum, counts, MPI_INT, MPI_SUM, comm, &r[5]));
  OK(MPI_Waitall(6, r, MPI_STATUSES_IGNORE));
  CHECK(s == me && sum == 10 * sum_of_ranks(n) + n * (n - 1 - me));
  for (int i = 0; i < n; ++i) {
    CHECK(me != 0 || a[n - 1 - i] == i);
    CHECK(b[n - 1 - i] == i && c[n - 1 - i] == 10 * i + me && d[n - 1 - i] == 10 * i + me);
  }
  free(counts), free(places), free(bytes), free(types), free(out), free(a), free(b), free(c), free(d);
}

static void duplicate(void) {
  MPI_Comm twin;
  MPI_Request r;
  MPI_Info info;
  int alike = -1;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
  OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &twin, &r));
  OK(MPI_Info_free(&info));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  OK(MPI_Comm_compare(twin, MPI_COMM_WORLD, &alike));
  CHECK(alike == MPI_CONGRUENT);
  OK(MPI_Barrier(twin));
  OK(MPI_Comm_free(&twin));
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  MPI_Comm part;
  OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part));
  MPI_Comm on[] = {MPI_COMM_WORLD, MPI_COMM_SELF, part};
  for (int i = 0; i < 3; ++i) {
    persistent(on[i]);
    started_in_any_order(on[i]);
    send_and_receive(on[i]);
    large_arrays(on[i]);
  }
  freed_before_start();
  duplicate();
  OK(MPI_Comm_free(&part));
  OK(MPI_Finalize());
  if (rank == 0) printf("fallback: ok, %d ranks\n", size);
  return 0;
}
