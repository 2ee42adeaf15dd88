/* Communicators between two groups: messages, collectives, and derived communicators. The groups are the even and the odd
 * ranks, or the lower and the upper half. Oracle: values computed from the ranks. */
#include "check.h"

static int rank, size;

static int in_first(int r, int halves) { return halves ? r < size / 2 : r % 2 == 0; }

/* World rank of rank i of a group. */
static int world_rank(int first, int i, int halves) {
  for (int r = 0; r < size; ++r)
    if (in_first(r, halves) == first && i-- == 0) return r;
  return -1;
}

static void messages(MPI_Comm between, int halves) {
  int me, n, others, got = -1;
  OK(MPI_Comm_rank(between, &me));
  OK(MPI_Comm_size(between, &n));
  OK(MPI_Comm_remote_size(between, &others));
  const int first = in_first(rank, halves);
  /* each rank sends to all ranks of the other group; messages are received from any source */
  MPI_Request r[64];
  for (int i = 0; i < others; ++i) OK(MPI_Isend(&rank, 1, MPI_INT, i, 7, between, &r[i]));
  for (int i = 0; i < others; ++i) {
    MPI_Status status;
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, between, &status));
    CHECK(got == world_rank(!first, status.MPI_SOURCE, halves));
  }
  OK(MPI_Waitall(others, r, MPI_STATUSES_IGNORE));
  OK(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % others, 8, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, between,
                  MPI_STATUS_IGNORE));
}

static void collectives(MPI_Comm between, int halves) {
  int me, n, others;
  OK(MPI_Comm_rank(between, &me));
  OK(MPI_Comm_size(between, &n));
  OK(MPI_Comm_remote_size(between, &others));
  const int first = in_first(rank, halves);
  int out[128], in[128], counts[64], places[64], sum = 0, expected = 0;
  MPI_Request r;
  for (int i = 0; i < others; ++i) expected += world_rank(!first, i, halves), counts[i] = 1, places[i] = others - 1 - i;
  for (int to_first = 0; to_first < 2; ++to_first) {
    /* a root in one group, and all ranks of the other group */
    const int root = first == to_first ? (me == n - 1 ? MPI_ROOT : MPI_PROC_NULL) : others - 1;
    const int is_root = root == MPI_ROOT, takes_part = root >= 0;
    const int root_rank = world_rank(to_first, (first == to_first ? n : others) - 1, halves);
    int v = is_root ? 5 + rank : -1;
    OK(MPI_Bcast(&v, 1, MPI_INT, root, between));
    CHECK(v == (takes_part || is_root ? 5 + root_rank : -1));
    sum = -1;
    OK(MPI_Reduce(is_root ? NULL : &rank, is_root ? &sum : NULL, 1, MPI_INT, MPI_SUM, root, between));
    CHECK(sum == (is_root ? expected : -1));
    OK(MPI_Gather(&rank, 1, MPI_INT, in, 1, MPI_INT, root, between));
    for (int i = 0; is_root && i < others; ++i) CHECK(in[i] == world_rank(!first, i, halves));
    OK(MPI_Gatherv(&rank, 1, MPI_INT, in, counts, places, MPI_INT, root, between));
    for (int i = 0; is_root && i < others; ++i) CHECK(in[others - 1 - i] == world_rank(!first, i, halves));
    for (int i = 0; i < others; ++i) out[i] = 100 * rank + i;
    v = -1;
    OK(MPI_Scatter(out, 1, MPI_INT, &v, 1, MPI_INT, root, between));
    CHECK(v == (takes_part ? 100 * root_rank + me : -1));
    OK(MPI_Iscatterv(out, counts, places, MPI_INT, &v, 1, MPI_INT, root, between, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    if (takes_part) CHECK(v == 100 * root_rank + n - 1 - me);
  }
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between));
  CHECK(sum == expected);
  OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, between, &r));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  CHECK(sum == world_rank(!first, others - 1, halves));
  out[0] = rank, out[1] = -rank;
  OK(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, between));
  for (int i = 0; i < others; ++i) CHECK(in[2 * i + 1] == -world_rank(!first, i, halves));
  OK(MPI_Allgatherv(&rank, 1, MPI_INT, in, counts, places, MPI_INT, between));
  for (int i = 0; i < others; ++i) CHECK(in[others - 1 - i] == world_rank(!first, i, halves));
  for (int i = 0; i < others; ++i) out[i] = 100 * rank + i;
  OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, between));
  for (int i = 0; i < others; ++i) CHECK(in[i] == 100 * world_rank(!first, i, halves) + me);
  OK(MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, between));
  for (int i = 0; i < others; ++i) CHECK(in[others - 1 - i] == 100 * world_rank(!first, i, halves) + n - 1 - me);
  if (n == others) {
    for (int i = 0; i < n; ++i) out[i] = rank + i;
    OK(MPI_Reduce_scatter_block(out, &sum, 1, MPI_INT, MPI_SUM, between));
    CHECK(sum == expected + others * me);
    OK(MPI_Reduce_scatter(out, &sum, counts, MPI_INT, MPI_SUM, between));
    CHECK(sum == expected + others * me);
  }
  MPI_Request again;
  OK(MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, between, MPI_INFO_NULL, &again));
  for (int k = 0; k < 2; ++k) {
    sum = -1;
    OK(MPI_Start(&again));
    OK(MPI_Wait(&again, MPI_STATUS_IGNORE));
    CHECK(sum == expected);
  }
  OK(MPI_Request_free(&again));
  OK(MPI_Barrier(between));
}

static void groups(MPI_Comm between, int halves) {
  MPI_Comm twin, merged, parts;
  MPI_Group own, other, all;
  int inter = 0, alike = -1, me, n, others, at = -1;
  const int first = in_first(rank, halves), zero = 0;
  OK(MPI_Comm_rank(between, &me));
  OK(MPI_Comm_size(between, &n));
  OK(MPI_Comm_remote_size(between, &others));
  OK(MPI_Comm_test_inter(between, &inter));
  CHECK(inter && n + others == size);
  OK(MPI_Comm_group(between, &own));
  OK(MPI_Comm_remote_group(between, &other));
  OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
  OK(MPI_Group_translate_ranks(own, 1, &me, all, &at));
  CHECK(at == rank);
  OK(MPI_Group_translate_ranks(other, 1, &zero, all, &at));
  CHECK(at == world_rank(!first, 0, halves));
  OK(MPI_Group_free(&own));
  OK(MPI_Group_free(&other));
  OK(MPI_Group_free(&all));
  OK(MPI_Comm_dup(between, &twin));
  OK(MPI_Comm_compare(between, twin, &alike));
  CHECK(alike == MPI_CONGRUENT);
  messages(twin, halves);
  OK(MPI_Comm_free(&twin));
  OK(MPI_Intercomm_merge(between, !first, &merged));
  OK(MPI_Comm_rank(merged, &at));
  CHECK(at == (first ? me : others + me));
  OK(MPI_Comm_free(&merged));
  /* rank i of one group with rank i of the other */
  OK(MPI_Comm_split(between, me, 0, &parts));
  CHECK((parts == MPI_COMM_NULL) == (me >= others));
  if (parts != MPI_COMM_NULL) {
    int got = -1;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 3, &got, 1, MPI_INT, 0, 3, parts, MPI_STATUS_IGNORE));
    CHECK(got == world_rank(!first, me, halves));
    OK(MPI_Comm_free(&parts));
  }
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  for (int halves = 0; halves < 2; ++halves) {
    MPI_Comm half, between;
    const int first = in_first(rank, halves);
    OK(MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world_rank(!first, 0, halves), 12, &between));
    OK(MPI_Comm_free(&half));
    messages(between, halves);
    collectives(between, halves);
    groups(between, halves);
    OK(MPI_Comm_free(&between));
    CHECK(between == MPI_COMM_NULL);
  }
  OK(MPI_Finalize());
  if (rank == 0) printf("intercommunicators: ok, %d ranks\n", size);
  return 0;
}
