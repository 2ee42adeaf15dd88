/* Sums over clusters. Values are combined in the order of clusters, independent of arrival. With
 * OSTEON_BRIDGE_REDUCTIONS=ranks, values are combined in the order of ranks, independent of the distribution of ranks.
 * Oracle: the bitwise equal sum, computed in this order. */
#include <unistd.h>

#include "check.h"

/* Values with a sum that depends on the order. */
static double value_of(int rank, int turn) { return (rank % 3 == 1 ? -1 : 1) * (1e16 / (1 + rank)) + rank + 0.1 * turn; }

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  const char* order = getenv("OSTEON_BRIDGE_REDUCTIONS");
  const int by_ranks = order && strcmp(order, "ranks") == 0;

  /* each MPI computes the sum of its cluster; the ranks of a cluster are consecutive */
  MPI_Comm near;
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near));
  int in_cluster = 0;
  OK(MPI_Comm_rank(near, &in_cluster));
  int* place = malloc((size_t)size * sizeof *place);
  double* part = malloc((size_t)size * sizeof *part);
  OK(MPI_Allgather(&in_cluster, 1, MPI_INT, place, 1, MPI_INT, MPI_COMM_WORLD));
  for (int turn = 0; turn < 6; ++turn) {
    const double mine = value_of(rank, turn);
    double sum = 0, near_sum = 0, expected = 0;
    OK(MPI_Reduce(&mine, &near_sum, 1, MPI_DOUBLE, MPI_SUM, 0, near));
    OK(MPI_Allgather(&near_sum, 1, MPI_DOUBLE, part, 1, MPI_DOUBLE, MPI_COMM_WORLD));
    if (rank % 6 == turn) usleep(20000); /* a different rank is late in each round */
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int r = size - 1, first = 1; r >= 0; --r) {
      if (!by_ranks && place[r] != 0) continue;
      const double next = by_ranks ? value_of(r, turn) : part[r];
      expected = first ? next : next + expected;
      first = 0;
    }
    CHECK(memcmp(&sum, &expected, sizeof sum) == 0);
  }
  free(place), free(part);
  OK(MPI_Comm_free(&near));
  OK(MPI_Finalize());
  if (rank == 0) printf("reproducible: ok, %d ranks\n", size);
  return 0;
}
