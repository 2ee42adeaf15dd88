#pragma once
/// @file
/// MPI in a process that no launcher started as a rank: begun when it is first needed.
#include <mpi.h>

#include <vector>

namespace osteon::native {

/// The communicator of this process alone. MPI is begun unless it is already, by mpi4py for example.
/// @throws machine_error if it has ended
MPI_Comm world();

/// A communicator of our own over processes among which mpi4py, or whoever else began MPI, has one. Handles are not passed:
/// those of another binding may be of another interface of the same library. It is kept until the process ends, and found
/// again.
/// @param ranks of the processes in MPI_COMM_WORLD, in the order of the communicator
/// @throws usage_error if MPI has not begun: the one that has is not the library that we are linked to; or if we began it,
/// as then nobody knows
/// @collective among the processes
MPI_Comm communicator_of(const std::vector<int>& ranks);

/// End MPI if we began it. To be called once, when Python ends.
void end_world();

}  // namespace osteon::native
