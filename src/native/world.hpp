#pragma once
/// @file
/// MPI in a process that no launcher started as a rank. MPI is initialised on first use.
#include <mpi.h>

#include <vector>

namespace osteon::native {

/// Communicator of this process alone. Initialises MPI unless it is already initialised, for example by mpi4py.
/// @throws machine_error if MPI is finalised
MPI_Comm world();

/// Create a separate communicator for the processes of a communicator of mpi4py, or of another binding that initialised MPI.
/// The function receives ranks instead of a handle, because a handle of another binding may belong to another interface of
/// the same library. The communicator is cached until the process ends.
/// @param ranks ranks of the processes in MPI_COMM_WORLD, in the order of the communicator
/// @throws usage_error if MPI is not initialised, because the caller then uses another MPI library than this module. Also if
/// osteon initialised MPI, because the binding may use another library.
/// @collective over the processes of `ranks`
MPI_Comm communicator_of(const std::vector<int>& ranks);

/// Finalise MPI if this module initialised MPI. Call this function once, when Python exits.
void end_world();

}  // namespace osteon::native
