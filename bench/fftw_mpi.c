/* FFTW-MPI for comparison: best time of one forward transform of NZ x NY x NX complex points.
 *
 *     mpicc -O2 fftw_mpi.c -lfftw3_mpi -lfftw3 -lm -o fftw_mpi
 *     mpirun -np N fftw_mpi NZ NY NX estimate|measure in-order|transposed REPEATS WISDOM
 *
 * Plans are read from the file WISDOM and written to it. FFTW is GPL: this program is only compiled if its library is
 * installed, and is not part of osteon. */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 8) MPI_Abort(MPI_COMM_WORLD, 2);
  const ptrdiff_t nz = atol(argv[1]), ny = atol(argv[2]), nx = atol(argv[3]);
  unsigned flags = strcmp(argv[4], "measure") == 0 ? FFTW_MEASURE : FFTW_ESTIMATE;
  if (strcmp(argv[5], "transposed") == 0) flags |= FFTW_MPI_TRANSPOSED_OUT;

  if (rank == 0) fftw_import_wisdom_from_filename(argv[7]);
  fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
  ptrdiff_t planes, first, lines, first_line;
  const ptrdiff_t count =
      fftw_mpi_local_size_3d_transposed(nz, ny, nx, MPI_COMM_WORLD, &planes, &first, &lines, &first_line);
  fftw_complex* data = fftw_alloc_complex((size_t)count);
  const double planning = MPI_Wtime();
  fftw_plan plan = fftw_mpi_plan_dft_3d(nz, ny, nx, data, data, MPI_COMM_WORLD, FFTW_FORWARD, flags);
  const double planned = MPI_Wtime() - planning;
  fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  if (rank == 0) fftw_export_wisdom_to_filename(argv[7]);

  double best = 1e30;
  for (int i = 0; i < atoi(argv[6]); ++i) {
    for (ptrdiff_t k = 0; k < count; ++k) data[k][0] = 1.0 / (double)(k + 1), data[k][1] = 0.5;
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    fftw_execute(plan);
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (seconds < best) best = seconds;
  }
  if (rank == 0) printf("{\"seconds\": %.6f, \"planning_seconds\": %.3f}\n", best, planned);
  MPI_Finalize();
  return 0;
}
