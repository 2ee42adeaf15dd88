/* Overhead of the bridge for small messages inside a cluster. The program measures one-way times between ranks 0 and 1
 * through the bridge, and by functions of the vendor without the bridge. Both times are measured in the same processes,
 * alternately window by window. Therefore both measurements have the same cores, memory and load. Compile this program with
 * osteon-mpicc. Usage: LIBRARY [windows]; LIBRARY is the library of the vendor that the bridge has loaded */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int send_function(const void*, int, uintptr_t, int, int, uintptr_t);
typedef int receive_function(void*, int, uintptr_t, int, int, uintptr_t, void*);

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) : NULL;
  if (!library) {
    fprintf(stderr, "beside LIBRARY [windows]: the vendor's library, which the bridge has loaded: %s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  /* Function pointers and handles of both MPIs. Handles of Open MPI are addresses; handles of MPICH are integers. */
  send_function* sends[2] = {(send_function*)(uintptr_t)MPI_Send, (send_function*)dlsym(library, "MPI_Send")};
  receive_function* receives[2] = {(receive_function*)(uintptr_t)MPI_Recv, (receive_function*)dlsym(library, "MPI_Recv")};
  void* world = dlsym(library, "ompi_mpi_comm_world");
  const uintptr_t comms[2] = {(uintptr_t)MPI_COMM_WORLD, world ? (uintptr_t)world : 0x44000000};
  const uintptr_t types[2] = {(uintptr_t)MPI_CHAR, world ? (uintptr_t)dlsym(library, "ompi_mpi_char") : 0x4c000101};
  void* const ignore[2] = {MPI_STATUS_IGNORE, world ? NULL : (void*)1};
  const int most = argc > 2 ? atoi(argv[2]) : 2000;
  double* times[2] = {calloc((size_t)most, sizeof(double)), calloc((size_t)most, sizeof(double))};
  double* ratios = calloc((size_t)most, sizeof(double));
  char* buffer = calloc(1, 1 << 21);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int bytes = 8; bytes <= 1 << 21; bytes *= 8) {
    const int turns = bytes < 4096 ? 100 : bytes < 262144 ? 20 : 2, windows = bytes < 4096 ? most : most / 10;
    for (int w = 0; w < windows; ++w)
      for (int half = 0; half < 2; ++half) {
        const int which = (w + half) % 2;
        send_function* send = sends[which];
        receive_function* receive = receives[which];
        const uintptr_t comm = comms[which], type = types[which];
        void* status = ignore[which];
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int k = 0; k < turns; ++k) {
          if (rank == 0) send(buffer, bytes, type, 1, 1, comm);
          receive(buffer, bytes, type, 1 - rank, 1, comm, status);
          if (rank == 1) send(buffer, bytes, type, 0, 1, comm);
        }
        times[which][w] = (MPI_Wtime() - begin) / turns / 2 * 1e9;
      }
    for (int w = 0; w < windows; ++w) ratios[w] = times[1][w] / times[0][w];
    for (int which = 0; which < 2; ++which) qsort(times[which], (size_t)windows, sizeof(double), compare);
    qsort(ratios, (size_t)windows, sizeof(double), compare);
    if (rank == 0)
      printf("%d bytes: bridge %.1f ns, vendor %.1f ns (best); %.1f, %.1f (median); vendor / bridge %.3f, %.3f, %.3f\n",
             bytes, times[0][0], times[1][0], times[0][windows / 2], times[1][windows / 2], times[1][0] / times[0][0],
             times[1][windows / 2] / times[0][windows / 2], ratios[windows / 2]);
  }
  MPI_Finalize();
  return 0;
}
