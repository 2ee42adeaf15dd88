/* A joined job over a link of round trip r: half a ping-pong of 8 bytes between the first and the last rank, and the time
 * from the call of a collective until the last rank has left it. Compile it with osteon-mpicc. remote [repeats] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* t, int n) {
  qsort(t, (size_t)n, sizeof *t, compare);
  return t[n / 2] * 1e6;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int repeats = argc > 1 ? atoi(argv[1]) : 50, last = size - 1;
  double* t = calloc((size_t)repeats, sizeof *t);
  const int most = 1 << 20;
  char *in = calloc(1, (size_t)most), *out = calloc(1, (size_t)most);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int bytes = 8; bytes <= most; bytes = bytes == 8 ? 65536 : bytes * 16) {
    for (int k = 0; k < repeats; ++k) {
      const double begin = MPI_Wtime();
      if (rank == 0) {
        MPI_Send(in, bytes, MPI_CHAR, last, 1, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_CHAR, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == last) {
        MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
      }
      t[k] = (MPI_Wtime() - begin) / 2;
    }
    const double one_way = median(t, repeats);
    if (rank == 0) printf("half a ping-pong of %d bytes: %.1f us\n", bytes, one_way);
    /* Clocks differ between ranks. Therefore the last rank returns an empty message after the collective, and the time of
     * this message is subtracted. */
    for (int kind = 0; kind < 2; ++kind) {
      for (int k = 0; k < repeats; ++k) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (kind == 0)
          MPI_Bcast(in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
        else
          MPI_Allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == last) MPI_Send(in, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
        if (rank == 0) MPI_Recv(in, 0, MPI_CHAR, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        t[k] = MPI_Wtime() - begin;
      }
      const double whole = median(t, repeats);
      if (rank == 0) printf("%s of %d bytes and an answer: %.1f us\n", kind == 0 ? "bcast" : "allreduce", bytes, whole);
    }
  }
  MPI_Finalize();
  return 0;
}
