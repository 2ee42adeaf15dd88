/* Incast over a slow link. All ranks of the later clusters send to rank 0 at once. The program prints the rate at rank 0.
 * Compile it with osteon-mpicc. incast RANKS_OF_CLUSTER_0 [messages] [bytes] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int here = argc > 1 ? atoi(argv[1]) : 1, messages = argc > 2 ? atoi(argv[2]) : 20;
  const int bytes = argc > 3 ? atoi(argv[3]) : 1 << 20, senders = size - here;
  char* buffer = calloc((size_t)senders * messages, (size_t)bytes);
  MPI_Request* requests = calloc((size_t)senders * messages, sizeof *requests);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  int n = 0;
  if (rank == 0) {
    for (int k = 0; k < messages; ++k)
      for (int s = 0; s < senders; ++s, ++n)
        MPI_Irecv(buffer + (size_t)n * bytes, bytes, MPI_CHAR, here + s, 1, MPI_COMM_WORLD, &requests[n]);
  } else if (rank >= here) {
    for (; n < messages; ++n) MPI_Isend(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[n]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  const double seconds = MPI_Wtime() - begin;
  if (rank == 0)
    printf("%d to 1: %.1f MB in %.3f s, %.0f Mbit/s\n", senders, 1e-6 * bytes * messages * senders, seconds,
           8e-6 * bytes * messages * senders / seconds);
  free(requests);
  free(buffer);
  MPI_Finalize();
  return 0;
}
