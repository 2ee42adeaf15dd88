#pragma once
/// @file
/// Counts of the messages between the ranks of a program, inside that program.
///
/// Part of a preloaded library between a program and its MPI. It must not use the C++ library, as programs may not have one,
/// and its counts are global, as it has no owner. Functions have no effect inside a counted MPI call, before MPI_Init and
/// after MPI_Finalize.
#include <mpi.h>

namespace osteon::trace {

/// Count a message to a rank of a communicator (of its remote group, if it has one).
void count(MPI_Comm comm, int rank, long long number, MPI_Datatype type);
/// Count messages to all neighbours of a topology.
/// @param counts of each destination, or null: `number` to each @param types of each, or null: `type`
void count_neighbours(MPI_Comm comm, const int* counts, long long number, const MPI_Datatype* types, MPI_Datatype type);
/// Count messages to all other ranks; counts and types as above.
void count_all(MPI_Comm comm, const int* counts, long long number, const MPI_Datatype* types, MPI_Datatype type);

/// Persistent messages count as often as they are started.
void remember(MPI_Request request, MPI_Comm comm, int rank, long long number, MPI_Datatype type);
void started(MPI_Request request);
void forget(MPI_Request request);

/// Write the counts of all ranks to the file in OSTEON_TRACE. @collective on MPI_COMM_WORLD
void write_graph();

/// Suspends counting during its lifetime: Fortran functions may call C functions.
class counted_once {
 public:
  counted_once();
  ~counted_once();
  counted_once(const counted_once&) = delete;
  counted_once& operator=(const counted_once&) = delete;
};

}  // namespace osteon::trace
