/* Messages between all pairs of ranks, by all functions of MPI. Oracle: values computed from ranks and tags.
 * point_to_point [TIMES]: repetitions, for stress. */
#include <stddef.h>

#include "check.h"

static int rank, size;

static int value(int from, int to, int tag, int i) { return ((from * 31 + to) * 1009 + tag) * 7 + i; }

static void blocking_ring(void) {
  enum { n = 1000 };
  int out[n], in[n];
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int length = 0; length <= n; length += 250) {
    for (int i = 0; i < length; ++i) out[i] = value(rank, next, length, i);
    MPI_Status status;
    OK(MPI_Sendrecv(out, length, MPI_INT, next, length, in, n, MPI_INT, last, length, MPI_COMM_WORLD, &status));
    int count = -1;
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(status.MPI_SOURCE == last && status.MPI_TAG == length && count == length);
    for (int i = 0; i < length; ++i) CHECK(in[i] == value(last, rank, length, i));
  }
}

static void all_pairs(int doubles) {
  double *out = malloc(sizeof(double) * doubles * size), *in = malloc(sizeof(double) * doubles * size);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * 2 * size);
  MPI_Status* statuses = malloc(sizeof(MPI_Status) * 2 * size);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < doubles; ++i) out[r * doubles + i] = value(rank, r, 5, i);
    OK(MPI_Irecv(in + r * doubles, doubles, MPI_DOUBLE, r, 5, MPI_COMM_WORLD, &requests[r]));
  }
  for (int r = 0; r < size; ++r)
    OK(MPI_Isend(out + r * doubles, doubles, MPI_DOUBLE, r, 5, MPI_COMM_WORLD, &requests[size + r]));
  OK(MPI_Waitall(2 * size, requests, statuses));
  for (int r = 0; r < size; ++r) {
    CHECK(requests[r] == MPI_REQUEST_NULL && statuses[r].MPI_SOURCE == r && statuses[r].MPI_TAG == 5);
    for (int i = 0; i < doubles; ++i) CHECK(in[r * doubles + i] == value(r, rank, 5, i));
  }
  free(out), free(in), free(requests), free(statuses);
}

static void wildcards(void) {
  if (rank == 0) {
    for (int k = 0; k < 3 * (size - 1); ++k) {
      int v[2];
      MPI_Status status;
      OK(MPI_Recv(v, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
      CHECK(v[0] == status.MPI_SOURCE && v[1] == status.MPI_TAG);
    }
  } else {
    for (int k = 0; k < 3; ++k) {
      const int v[2] = {rank, 40 + k};
      OK(MPI_Send(v, 2, MPI_INT, 0, 40 + k, MPI_COMM_WORLD));
    }
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void probes(void) {
  if (rank == 0) {
    for (int r = 1; r < size; ++r) {
      MPI_Status status;
      int count = 0;
      OK(MPI_Probe(r, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
      OK(MPI_Get_count(&status, MPI_CHAR, &count));
      CHECK(status.MPI_TAG == 60 + r && count == 3 * r);
      char* text = malloc(count);
      OK(MPI_Recv(text, count, MPI_CHAR, r, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      for (int i = 0; i < count; ++i) CHECK(text[i] == (char)('a' + r));
      free(text);
      MPI_Message message;
      OK(MPI_Mprobe(MPI_ANY_SOURCE, 90, MPI_COMM_WORLD, &message, &status));
      int v = 0;
      OK(MPI_Mrecv(&v, 1, MPI_INT, &message, &status));
      CHECK(v == status.MPI_SOURCE && message == MPI_MESSAGE_NULL);
    }
  } else {
    char text[300];
    memset(text, 'a' + rank, sizeof text);
    OK(MPI_Send(text, 3 * rank, MPI_CHAR, 0, 60 + rank, MPI_COMM_WORLD));
    OK(MPI_Ssend(&rank, 1, MPI_INT, 0, 90, MPI_COMM_WORLD));
  }
  int flag = 1;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void completion(void) {
  /* Every rank sends to every rank; Waitany, Waitsome, Testall and Testany complete the receives. */
  MPI_Request *r = malloc(sizeof(MPI_Request) * size), *s = malloc(sizeof(MPI_Request) * size);
  int *in = calloc(size, sizeof(int)), *indices = malloc(sizeof(int) * size);
  for (int way = 0; way < 4; ++way) {
    const int tag = 200 + way;
    int out = 1000 * way + rank, seen = 0;
    for (int i = 0; i < size; ++i) OK(MPI_Irecv(&in[i], 1, MPI_INT, i, tag, MPI_COMM_WORLD, &r[i]));
    for (int i = 0; i < size; ++i) OK(MPI_Issend(&out, 1, MPI_INT, i, tag, MPI_COMM_WORLD, &s[i]));
    while (seen < size) {
      int index = -1, flag = 0, count = 0;
      MPI_Status status;
      if (way == 0) {
        OK(MPI_Waitany(size, r, &index, &status));
        CHECK(index != MPI_UNDEFINED && status.MPI_SOURCE == index && in[index] == 1000 * way + index);
        ++seen;
      } else if (way == 1) {
        OK(MPI_Waitsome(size, r, &count, indices, MPI_STATUSES_IGNORE));
        CHECK(count > 0);
        seen += count;
      } else if (way == 2) {
        OK(MPI_Testall(size, r, &flag, MPI_STATUSES_IGNORE));
        if (flag) seen = size;
      } else {
        OK(MPI_Testany(size, r, &index, &flag, &status));
        if (flag) {
          ++seen;
          CHECK(status.MPI_SOURCE == index);
        }
      }
    }
    for (int i = 0; i < size; ++i) CHECK(in[i] == 1000 * way + i && r[i] == MPI_REQUEST_NULL);
    OK(MPI_Waitall(size, s, MPI_STATUSES_IGNORE));
    int index = 0;
    OK(MPI_Waitany(size, r, &index, MPI_STATUS_IGNORE));
    CHECK(index == MPI_UNDEFINED);
  }
  free(r), free(s), free(in), free(indices);
}

static void persistent(void) {
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  int out = 0, in = 0;
  MPI_Request r[2];
  OK(MPI_Recv_init(&in, 1, MPI_INT, last, 300, MPI_COMM_WORLD, &r[0]));
  OK(MPI_Send_init(&out, 1, MPI_INT, next, 300, MPI_COMM_WORLD, &r[1]));
  for (int k = 0; k < 5; ++k) {
    out = 100 * k + rank;
    OK(MPI_Startall(2, r));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    CHECK(in == 100 * k + last && r[0] != MPI_REQUEST_NULL);
  }
  OK(MPI_Request_free(&r[0]));
  OK(MPI_Request_free(&r[1]));
  CHECK(r[0] == MPI_REQUEST_NULL);
}

static void null_process_and_cancel(void) {
  MPI_Status status;
  int v = 17;
  OK(MPI_Recv(&v, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
  CHECK(v == 17 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  OK(MPI_Send(&v, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD));
  for (int from = MPI_ANY_SOURCE; from < size; ++from) {
    MPI_Request request;
    int flag = 0;
    OK(MPI_Irecv(&v, 1, MPI_INT, from, 999, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
  }
}

static void datatypes(void) {
  /* Columns of a matrix are sent as a vector type and received as a row; a struct is sent as an indexed type. */
  enum { n = 20 };
  double matrix[n][n], row[n], third[n];
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) matrix[i][j] = value(rank, i, j, 0);
  MPI_Datatype column, pair;
  OK(MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column));
  OK(MPI_Type_commit(&column));
  MPI_Request request;
  OK(MPI_Irecv(row, n, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &request));
  OK(MPI_Send(&matrix[0][3], 1, column, next, 1, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < n; ++i) CHECK(row[i] == value(last, i, 3, 0));
  /* ... and are also received as a column. */
  MPI_Status status;
  OK(MPI_Irecv(&matrix[0][7], 1, column, last, 2, MPI_COMM_WORLD, &request));
  OK(MPI_Send(row, n, MPI_DOUBLE, next, 2, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, &status));
  const int before = (last + size - 1) % size;
  for (int i = 0; i < n; ++i) CHECK(matrix[i][7] == value(before, i, 3, 0));
  int count = 0;
  OK(MPI_Get_count(&status, column, &count));
  CHECK(count == 1);
  OK(MPI_Get_elements(&status, column, &count));
  CHECK(count == n);
  OK(MPI_Type_free(&column));
  CHECK(column == MPI_DATATYPE_NULL);
  OK(MPI_Type_vector_c(n, 1, n, MPI_DOUBLE, &column)); /* large counts */
  OK(MPI_Type_commit(&column));
  OK(MPI_Sendrecv(&matrix[0][3], 1, column, next, 3, third, n, MPI_DOUBLE, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < n; ++i) CHECK(third[i] == value(last, i, 3, 0));
  OK(MPI_Type_free(&column));

  struct record {
    double a;
    char b;
    int c[3];
  } mine = {1.5 * rank, (char)rank, {rank, 2 * rank, 3 * rank}}, theirs = {0};
  const int lengths[3] = {1, 1, 3};
  const MPI_Aint places[3] = {offsetof(struct record, a), offsetof(struct record, b), offsetof(struct record, c)};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_CHAR, MPI_INT};
  OK(MPI_Type_create_struct(3, lengths, places, types, &pair));
  OK(MPI_Type_commit(&pair));
  OK(MPI_Sendrecv(&mine, 1, pair, next, 4, &theirs, 1, pair, last, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(theirs.a == 1.5 * last && theirs.b == last && theirs.c[2] == 3 * last);
  OK(MPI_Type_free(&pair));

  MPI_Datatype from, into; /* absolute addresses */
  int here = 70 + rank, there = -1;
  const int one = 1;
  MPI_Aint place[2];
  OK(MPI_Get_address(&here, &place[0]));
  OK(MPI_Get_address(&there, &place[1]));
  OK(MPI_Type_create_hindexed(1, &one, &place[0], MPI_INT, &from));
  OK(MPI_Type_create_hindexed(1, &one, &place[1], MPI_INT, &into));
  OK(MPI_Type_commit(&from));
  OK(MPI_Type_commit(&into));
  OK(MPI_Sendrecv(MPI_BOTTOM, 1, from, next, 5, MPI_BOTTOM, 1, into, last, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(there == 70 + last);
  OK(MPI_Type_free(&from));
  OK(MPI_Type_free(&into));
}

/* Types, communicators and requests are freed while messages use them. */
static void freed_early(void) {
  enum { n = 40000 };
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  int *out = malloc(n * sizeof(int)), *in = malloc(2 * n * sizeof(int)), go = 0;
  for (int i = 0; i < n; ++i) out[i] = value(rank, next, 7, i);
  MPI_Comm dup;
  MPI_Datatype every_other, another;
  MPI_Request r[2];
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  OK(MPI_Type_vector(n, 1, 2, MPI_INT, &every_other));
  OK(MPI_Type_commit(&every_other));
  OK(MPI_Irecv(in, 1, every_other, last, 7, dup, &r[0]));
  OK(MPI_Type_free(&every_other));
  OK(MPI_Type_contiguous(3, MPI_CHAR, &another)); /* may reuse the freed handle */
  OK(MPI_Sendrecv(&go, 1, MPI_INT, last, 8, &go, 1, MPI_INT, next, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  OK(MPI_Isend(out, n, MPI_INT, next, 7, dup, &r[1]));
  OK(MPI_Comm_free(&dup));
  MPI_Status statuses[2];
  OK(MPI_Waitall(2, r, statuses));
  CHECK(statuses[0].MPI_SOURCE == last);
  for (int i = 0; i < n; ++i) CHECK(in[2 * i] == value(last, rank, 7, i));
  OK(MPI_Type_free(&another));

  OK(MPI_Issend(out, n, MPI_INT, next, 9, MPI_COMM_WORLD, &r[0]));
  OK(MPI_Request_free(&r[0]));
  OK(MPI_Recv(in, n, MPI_INT, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < n; ++i) CHECK(in[i] == value(last, rank, 7, i));
  OK(MPI_Barrier(MPI_COMM_WORLD)); /* after the barrier, all messages have been received */
  free(out), free(in);
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  for (int left = argc > 1 ? atoi(argv[1]) : 1; left > 0; --left) {
    blocking_ring();
    for (int n = 1; n <= 200000; n = n * 20) all_pairs(n);
    wildcards();
    probes();
    completion();
    persistent();
    null_process_and_cancel();
    datatypes();
    freed_early();
  }
  OK(MPI_Finalize());
  if (rank == 0) printf("point_to_point: ok, %d ranks\n", size);
  return 0;
}
