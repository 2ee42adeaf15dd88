/* Wildcard receives while ranks of the own cluster and of other clusters send. The order per source must be preserved, and
 * no message may be lost or duplicated. Oracle: consecutive numbers from each source. any_source [messages of each rank] */
#include "check.h"

static int rank, size;

static unsigned next_random(unsigned* state) { return *state = *state * 1664525u + 1013904223u, *state >> 16; }

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  const long each = argc > 1 ? atol(argv[1]) : 2000;
  unsigned state = 17u + (unsigned)rank;
  if (rank == 0) {
    enum { window = 16 };
    long *expected = calloc((size_t)size, sizeof(long)), left = each * (size - 1);
    long in[window][2];
    MPI_Request requests[window];
    while (left > 0) {
      /* Receive messages one by one, after a probe, with several posted receives, or with a cancelled receive. */
      const unsigned way = next_random(&state) % 4;
      const int n = way == 2 ? (int)(left < window ? left : window) : 1;
      MPI_Status statuses[window];
      if (way == 0) {
        OK(MPI_Recv(in[0], 2, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, statuses));
      } else if (way == 1) {
        OK(MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, statuses));
        OK(MPI_Recv(in[0], 2, MPI_LONG, statuses[0].MPI_SOURCE, 5, MPI_COMM_WORLD, statuses));
      } else if (way == 2) {
        for (int i = 0; i < n; ++i) OK(MPI_Irecv(in[i], 2, MPI_LONG, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[i]));
        OK(MPI_Waitall(n, requests, statuses));
      } else {
        int cancelled = 0;
        OK(MPI_Irecv(in[0], 2, MPI_LONG, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, requests));
        OK(MPI_Cancel(requests));
        OK(MPI_Wait(requests, statuses));
        OK(MPI_Test_cancelled(statuses, &cancelled));
        if (cancelled) continue;
      }
      for (int i = 0; i < n; ++i) {
        CHECK(in[i][0] == statuses[i].MPI_SOURCE && statuses[i].MPI_TAG == 5);
        CHECK(in[i][1] == expected[in[i][0]]);
        ++expected[in[i][0]];
      }
      left -= n;
    }
    for (int r = 1; r < size; ++r) CHECK(expected[r] == each);
    free(expected);
  } else {
    for (long k = 0; k < each; ++k) {
      const long out[2] = {rank, k};
      if (next_random(&state) % 8 == 0) {
        OK(MPI_Ssend(out, 2, MPI_LONG, 0, 5, MPI_COMM_WORLD));
      } else {
        OK(MPI_Send(out, 2, MPI_LONG, 0, 5, MPI_COMM_WORLD));
      }
    }
  }
  OK(MPI_Finalize());
  if (rank == 0) printf("any_source: ok, %d ranks, %ld messages\n", size, each * (size - 1));
  return 0;
}
