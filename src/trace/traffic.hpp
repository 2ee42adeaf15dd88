#pragma once
/// @file
/// What the ranks of a program send to each other, counted inside that program.
///
/// For a preloaded library between a program and its MPI. It must not use the C++ library,
/// because it is loaded into programs that have none, and it keeps its counts in globals, because there is nobody to hold
/// them for it. Functions do nothing inside an MPI call that has been counted, before MPI_Init and after MPI_Finalize.
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

/// Write what all ranks have counted to the file that OSTEON_TRACE names. @collective on MPI_COMM_WORLD
void write_graph();

/// As long as it lives, nothing is counted: Fortran's functions may call C's.
class counted_once {
 public:
  counted_once();
  ~counted_once();
  counted_once(const counted_once&) = delete;
  counted_once& operator=(const counted_once&) = delete;
};

}  // namespace osteon::trace
