#pragma once
/// @file
/// Counts of the messages between the ranks of a program. The counting code runs inside this program.
///
/// The file is part of a preloaded library between a program and its MPI library. The library must not use the C++ library,
/// because some programs do not have the C++ library. The counts are global, because no object owns the counts. Inside a
/// counted MPI call, before MPI_Init, and after MPI_Finalize, the functions have no effect.
#include <mpi.h>

namespace osteon::trace {

/// Count a message to a rank of a communicator. For an inter-communicator, the rank is in the remote group.
void count(MPI_Comm comm, int rank, long long number, MPI_Datatype type);
/// Count messages to all neighbours of a topology.
/// @param counts number of elements for each destination; null: `number` elements for each destination @param types type for
/// each destination; null: `type` for each destination
void count_neighbours(MPI_Comm comm, const int* counts, long long number, const MPI_Datatype* types, MPI_Datatype type);
/// Count messages to all other ranks. counts and types have the meaning of count_neighbours.
void count_all(MPI_Comm comm, const int* counts, long long number, const MPI_Datatype* types, MPI_Datatype type);

/// Store a persistent message. The message counts as often as it is started.
void remember(MPI_Request request, MPI_Comm comm, int rank, long long number, MPI_Datatype type);
void started(MPI_Request request);
void forget(MPI_Request request);

/// Write the counts of all ranks to the file in OSTEON_TRACE. @collective on MPI_COMM_WORLD
void write_graph();

/// Suspends counting during the lifetime of this object, because Fortran functions may call C functions.
class counted_once {
 public:
  counted_once();
  ~counted_once();
  counted_once(const counted_once&) = delete;
  counted_once& operator=(const counted_once&) = delete;
};

}  // namespace osteon::trace
