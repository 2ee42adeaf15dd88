#pragma once
/// @file
/// MPI in a process that was not started as a rank by a launcher: initialised on first use.
#include <mpi.h>

#include <vector>

namespace osteon::native {

/// Communicator of this process alone. Initialises MPI unless it is already initialised, for example by mpi4py.
/// @throws machine_error if MPI is finalised
MPI_Comm world();

/// Own communicator over the processes of a communicator of mpi4py or of another binding that initialised MPI. Handles are
/// not passed: those of another binding may belong to another interface of the same library. The communicator is cached
/// until the process ends.
/// @param ranks ranks of the processes in MPI_COMM_WORLD, in the order of the communicator
/// @throws usage_error if MPI is not initialised, because the caller uses another MPI library than the one linked here; or
/// if osteon initialised it, because the binding may use another library
/// @collective over these processes
MPI_Comm communicator_of(const std::vector<int>& ranks);

/// Finalise MPI if this module initialised it. Call once, when Python exits.
void end_world();

}  // namespace osteon::native
