/* CHECK(condition): report a false condition with its line, and stop the job. The return codes of MPI calls must be 0. */
#ifndef OSTEON_TESTS_BRIDGE_CHECK_H
#define OSTEON_TESTS_BRIDGE_CHECK_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_rank = -1;

#define CHECK(condition)                                                                             \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, check_rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                  \
    }                                                                                                \
  } while (0)
#define OK(call) CHECK((call) == MPI_SUCCESS)
#endif
