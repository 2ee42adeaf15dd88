/* Every collective in blocking and nonblocking form, on the world and on parts of the world. Oracle: values computed from
 * the ranks. */
#include "check.h"

static int rank, size;

static long sum_of_ranks(int n) { return (long)n * (n - 1) / 2; }

static void keep_last(void* in, void* inout, int* n, MPI_Datatype* type) {
  /* a b = b is associative, but not commutative; over ranks in order, the result is the last value. */
  (void)in, (void)inout, (void)n, (void)type;
}

static void add_complex(void* in, void* inout, int* n, MPI_Datatype* type) {
  double *a = in, *b = inout;
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  CHECK(bytes == 2 * (int)sizeof(double));
  for (int i = 0; i < 2 * *n; ++i) b[i] += a[i];
}

/* The product of 2x2 integer matrices is associative, but not commutative. */
static void multiply(void* in, void* inout, int* n, MPI_Datatype* type) {
  long *a = in, *b = inout;
  (void)type;
  for (int k = 0; k < *n; ++k, a += 4, b += 4) {
    const long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                       a[2] * b[1] + a[3] * b[3]};
    memcpy(b, c, sizeof c);
  }
}

static void on(MPI_Comm comm) {
  int me, n;
  OK(MPI_Comm_rank(comm, &me));
  OK(MPI_Comm_size(comm, &n));
  int *out = malloc(sizeof(int) * 4 * n), *in = malloc(sizeof(int) * 4 * n);
  int *counts = malloc(sizeof(int) * n), *places = malloc(sizeof(int) * n);
  int *out_counts = malloc(sizeof(int) * n), *out_places = malloc(sizeof(int) * n);
  for (int root = 0; root < n; ++root) {
    int v[3] = {me == root ? 7 * root : -1, me == root ? 8 : -1, me == root ? 9 : -1};
    OK(MPI_Bcast(v, 3, MPI_INT, root, comm));
    CHECK(v[0] == 7 * root && v[2] == 9);

    long mine = me + root, total = -1;
    OK(MPI_Reduce(&mine, &total, 1, MPI_LONG, MPI_SUM, root, comm));
    CHECK(me == root ? total == sum_of_ranks(n) + (long)n * root : total == -1);

    out[0] = 10 * me + root, out[1] = -me;
    OK(MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, comm));
    if (me == root)
      for (int r = 0; r < n; ++r) CHECK(in[2 * r] == 10 * r + root && in[2 * r + 1] == -r);

    for (int r = 0; r < n; ++r) out[2 * r] = 100 * root + r, out[2 * r + 1] = r * r;
    OK(MPI_Scatter(out, 2, MPI_INT, v, 2, MPI_INT, root, comm));
    CHECK(v[0] == 100 * root + me && v[1] == me * me);

    /* rank r has r % 3 + 1 elements, in reverse order of places */
    int place = 0;
    for (int r = n - 1; r >= 0; --r) counts[r] = r % 3 + 1, places[r] = place, place += counts[r];
    for (int i = 0; i < 3; ++i) v[i] = 1000 * me + i;
    OK(MPI_Gatherv(v, counts[me], MPI_INT, in, counts, places, MPI_INT, root, comm));
    if (me == root)
      for (int r = 0; r < n; ++r)
        for (int i = 0; i < counts[r]; ++i) CHECK(in[places[r] + i] == 1000 * r + i);
    if (me == root)
      for (int r = 0; r < n; ++r)
        for (int i = 0; i < counts[r]; ++i) out[places[r] + i] = 50 * r + i;
    OK(MPI_Scatterv(out, counts, places, MPI_INT, v, 3, MPI_INT, root, comm));
    for (int i = 0; i < counts[me]; ++i) CHECK(v[i] == 50 * me + i);
  }
  out[0] = me * me, out[1] = 3;
  OK(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm));
  for (int r = 0; r < n; ++r) CHECK(in[2 * r] == r * r && in[2 * r + 1] == 3);
  for (int r = 0; r < n; ++r) in[r] = -1;
  in[me] = 5 * me;
  OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm));
  for (int r = 0; r < n; ++r) CHECK(in[r] == 5 * r);
  for (int i = 0; i < 3; ++i) out[i] = 1000 * me + i;
  OK(MPI_Allgatherv(out, counts[me], MPI_INT, in, counts, places, MPI_INT, comm));
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < counts[r]; ++i) CHECK(in[places[r] + i] == 1000 * r + i);

  double local[2] = {me + 0.5, -me}, all[2];
  OK(MPI_Allreduce(local, all, 2, MPI_DOUBLE, MPI_MAX, comm));
  CHECK(all[0] == n - 0.5 && all[1] == 0);
  OK(MPI_Allreduce(MPI_IN_PLACE, local, 2, MPI_DOUBLE, MPI_SUM, comm));
  CHECK(local[0] == sum_of_ranks(n) + 0.5 * n && local[1] == -sum_of_ranks(n));
  struct {
    double v;
    int at;
  } place_of = {(me * 7) % n, me}, best;
  OK(MPI_Allreduce(&place_of, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm));
  CHECK((best.at * 7) % n == best.v);

  for (int r = 0; r < n; ++r) out[r] = 1000 * me + r;
  OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm));
  for (int r = 0; r < n; ++r) CHECK(in[r] == 1000 * r + me);
  /* rank a sends (a + b) % 3 elements to rank b */
  int to = 0, from = 0;
  for (int r = 0; r < n; ++r) {
    out_counts[r] = counts[r] = (me + r) % 3;
    out_places[r] = to, places[r] = from, to += out_counts[r], from += counts[r];
    for (int i = 0; i < out_counts[r]; ++i) out[out_places[r] + i] = 1000 * me + 10 * r + i;
  }
  OK(MPI_Alltoallv(out, out_counts, out_places, MPI_INT, in, counts, places, MPI_INT, comm));
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < counts[r]; ++i) CHECK(in[places[r] + i] == 1000 * r + 10 * me + i);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * n);
  for (int r = 0; r < n; ++r) types[r] = MPI_INT, out_places[r] *= 4, places[r] *= 4;
  memset(in, 0, sizeof(int) * 4 * n);
  OK(MPI_Alltoallw(out, out_counts, out_places, types, in, counts, places, types, comm));
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < counts[r]; ++i) CHECK(in[places[r] / 4 + i] == 1000 * r + 10 * me + i);
  free(types);

  for (int r = 0; r < 2 * n; ++r) out[r] = me + r;
  OK(MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm));
  CHECK(in[0] == sum_of_ranks(n) + n * (2 * me) && in[1] == sum_of_ranks(n) + n * (2 * me + 1));
  int at = 0, begin = 0;
  for (int r = 0; r < n; ++r) counts[r] = r % 2 + 1, begin = r == me ? at : begin, at += counts[r];
  OK(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm));
  for (int i = 0; i < counts[me]; ++i) CHECK(in[i] == sum_of_ranks(n) + n * (begin + i));
  long up = me + 1, scanned = 0;
  OK(MPI_Scan(&up, &scanned, 1, MPI_LONG, MPI_SUM, comm));
  CHECK(scanned == sum_of_ranks(me + 2));
  scanned = -5;
  OK(MPI_Exscan(&up, &scanned, 1, MPI_LONG, MPI_SUM, comm));
  CHECK(scanned == (me == 0 ? -5 : sum_of_ranks(me + 1)));

  /* reductions by operations of the program */
  MPI_Op last, plus, product;
  MPI_Datatype complex_type, matrix;
  OK(MPI_Op_create(keep_last, 0, &last));
  OK(MPI_Op_create(add_complex, 1, &plus));
  OK(MPI_Op_create(multiply, 0, &product));
  OK(MPI_Type_contiguous(2, MPI_DOUBLE, &complex_type));
  OK(MPI_Type_commit(&complex_type));
  OK(MPI_Type_contiguous(4, MPI_LONG, &matrix));
  OK(MPI_Type_commit(&matrix));
  int winner = -1;
  OK(MPI_Allreduce(&me, &winner, 1, MPI_INT, last, comm));
  CHECK(winner == n - 1);
  OK(MPI_Allreduce(local, all, 1, complex_type, plus, comm));
  CHECK(all[0] == n * local[0] && all[1] == n * local[1]);
  const long factor[4] = {1, me + 1, me % 2, 1};
  long expected[4] = {1, 0, 0, 1}, got[4] = {0};
  for (int r = 0; r < n; ++r) {
    long next[4] = {1, r + 1, r % 2, 1};
    int one = 1;
    multiply(expected, next, &one, &matrix);
    memcpy(expected, next, sizeof next);
  }
  OK(MPI_Allreduce(factor, got, 1, matrix, product, comm));
  CHECK(memcmp(got, expected, sizeof got) == 0);
  memset(got, 0, sizeof got);
  OK(MPI_Reduce(factor, got, 1, matrix, product, n - 1, comm));
  CHECK(me != n - 1 || memcmp(got, expected, sizeof got) == 0);
  OK(MPI_Op_free(&last));
  OK(MPI_Op_free(&plus));
  OK(MPI_Op_free(&product));
  CHECK(plus == MPI_OP_NULL);
  OK(MPI_Type_free(&complex_type));
  OK(MPI_Type_free(&matrix));

  /* nonblocking: three at once, completed together */
  MPI_Request r[4];
  int b = me == n - 1 ? 77 : 0, s = me, t = 0;
  OK(MPI_Ibarrier(comm, &r[0]));
  OK(MPI_Ibcast(&b, 1, MPI_INT, n - 1, comm, &r[1]));
  OK(MPI_Iallreduce(&s, &t, 1, MPI_INT, MPI_SUM, comm, &r[2]));
  for (int k = 0; k < n; ++k) out[k] = me * n + k;
  OK(MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &r[3]));
  OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
  CHECK(b == 77 && t == sum_of_ranks(n));
  for (int k = 0; k < n; ++k) CHECK(in[k] == k * n + me);

  /* a large broadcast and sum */
  enum { large = 300000 };
  double *big = malloc(sizeof(double) * large), *sums = malloc(sizeof(double) * large);
  for (int i = 0; i < large; ++i) big[i] = me == 0 ? i : -1;
  OK(MPI_Bcast(big, large, MPI_DOUBLE, 0, comm));
  for (int i = 0; i < large; ++i) CHECK(big[i] == i);
  OK(MPI_Allreduce(big, sums, large, MPI_DOUBLE, MPI_SUM, comm));
  for (int i = 0; i < large; ++i) CHECK(sums[i] == (double)n * i);
  free(big), free(sums);
  free(out), free(in), free(counts), free(places), free(out_counts), free(out_places);
  OK(MPI_Barrier(comm));
}

/* The forms with large counts. */
static void large_counts(void) {
  MPI_Count* counts = malloc(sizeof(MPI_Count) * size);
  MPI_Aint* places = malloc(sizeof(MPI_Aint) * size);
  int *out = malloc(sizeof(int) * size), *in = malloc(sizeof(int) * size), v = rank == 1 % size ? 5 : -1, sum = 0;
  MPI_Request r;
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = size - 1 - i, out[size - 1 - i] = 10 * rank + i;
  OK(MPI_Bcast_c(&v, 1, MPI_INT, 1 % size, MPI_COMM_WORLD));
  CHECK(v == 5);
  OK(MPI_Iallreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  CHECK(sum == sum_of_ranks(size));
  OK(MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD));
  for (int i = 0; i < size; ++i) CHECK(in[size - 1 - i] == 10 * i + rank);
  /* significant only at the root */
  const MPI_Count* at_root = rank == 0 ? counts : NULL;
  OK(MPI_Gatherv_c(&rank, 1, MPI_INT, in, at_root, rank == 0 ? places : NULL, MPI_INT, 0, MPI_COMM_WORLD));
  for (int i = 0; i < size && rank == 0; ++i) CHECK(in[size - 1 - i] == i);
  for (int i = 0; i < size; ++i) in[i] = i == size - 1 - rank ? rank : -1;
  OK(MPI_Allgatherv_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, MPI_COMM_WORLD));
  for (int i = 0; i < size; ++i) CHECK(in[size - 1 - i] == i);
  free(counts), free(places), free(out), free(in);
}

/* Types and operations are freed while collectives use them. */
static void freed_early(void) {
  MPI_Datatype matrices, one, columns;
  MPI_Op product;
  MPI_Request r[2];
  long mine[4] = {1, 0, 0, 1}, all[4] = {0};
  int *out = malloc(sizeof(int) * 2 * size), *in = malloc(sizeof(int) * 2 * size);
  mine[1] = rank;
  for (int i = 0; i < size; ++i) out[2 * i] = 10 * rank + i, in[2 * i + 1] = -1;
  OK(MPI_Type_contiguous(4, MPI_LONG, &matrices));
  OK(MPI_Type_vector(1, 1, 1, MPI_INT, &one));
  OK(MPI_Type_create_resized(one, 0, 2 * sizeof(int), &columns));
  OK(MPI_Type_free(&one));
  OK(MPI_Type_commit(&matrices));
  OK(MPI_Type_commit(&columns));
  OK(MPI_Op_create(multiply, 0, &product));
  OK(MPI_Iallreduce(mine, all, 1, matrices, product, MPI_COMM_WORLD, &r[0]));
  OK(MPI_Ialltoall(out, 1, columns, in, 1, columns, MPI_COMM_WORLD, &r[1]));
  OK(MPI_Op_free(&product));
  OK(MPI_Type_free(&matrices));
  OK(MPI_Type_free(&columns));
  CHECK(product == MPI_OP_NULL && columns == MPI_DATATYPE_NULL);
  OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
  CHECK(all[0] == 1 && all[1] == sum_of_ranks(size) && all[2] == 0 && all[3] == 1);
  for (int i = 0; i < size; ++i) CHECK(in[2 * i] == 10 * i + rank && in[2 * i + 1] == -1);
  free(out), free(in);
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  on(MPI_COMM_WORLD);
  on(MPI_COMM_SELF);
  MPI_Comm again, part, reversed, few;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &again));
  on(again);
  OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part));
  on(part);
  OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed));
  int me = -1;
  OK(MPI_Comm_rank(reversed, &me));
  CHECK(me == size - 1 - rank);
  on(reversed);
  OK(MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 1 : MPI_UNDEFINED, rank, &few));
  CHECK((few == MPI_COMM_NULL) == (rank >= 2));
  if (few != MPI_COMM_NULL) {
    on(few);
    OK(MPI_Comm_free(&few));
  }
  OK(MPI_Comm_free(&reversed));
  OK(MPI_Comm_free(&part));
  OK(MPI_Comm_free(&again));
  CHECK(again == MPI_COMM_NULL);
  freed_early();
  large_counts();
  OK(MPI_Finalize());
  if (rank == 0) printf("collectives: ok, %d ranks\n", size);
  return 0;
}
