/* One-way time between ranks 0 and 1 in microseconds. The result is the best of many short windows, which is least affected
 * by other load.
 * Compile it with the vendor's mpicc and with osteon-mpicc, and compare. pingpong [windows] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int windows = argc > 1 ? atoi(argv[1]) : 40;
  char* buffer = calloc(1, 4 << 20);
  for (int bytes = 8; bytes <= 4 << 20; bytes *= 8) {
    const int turns = bytes < 4096 ? 1000 : bytes < 262144 ? 100 : 10;
    double best = 1e9;
    for (int w = 0; w < windows; ++w) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int k = 0; k < turns; ++k) {
        if (rank == 0) {
          MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
          MPI_Recv(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
          MPI_Recv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
      }
      const double each = (MPI_Wtime() - begin) / turns / 2 * 1e6;
      if (each < best) best = each;
    }
    if (rank == 0) printf("%d %.3f\n", bytes, best);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
