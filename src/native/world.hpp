#pragma once
/// @file
/// MPI in a process that no launcher has started as a rank. MPI is initialised on the first use.
#include <mpi.h>

#include <vector>

namespace osteon::native {

/// Communicator that contains only this process. The function initialises MPI unless MPI is already initialised, for example
/// by mpi4py.
/// @throws machine_error if MPI has been finalised
MPI_Comm world();

/// Create a separate communicator for the processes of a communicator of mpi4py, or of another binding that has initialised
/// MPI. The argument contains ranks instead of a handle. A handle of another binding may belong to another interface of the
/// same library. The communicator is cached until the process ends.
/// @param ranks ranks of the processes in MPI_COMM_WORLD, in the order of the communicator
/// @throws usage_error if MPI is not initialised, because the caller then uses an MPI library other than this module. The
/// error is also thrown if osteon has initialised MPI, because the binding may use another library.
/// @collective over the processes of `ranks`
MPI_Comm communicator_of(const std::vector<int>& ranks);

/// If this module has initialised MPI, finalise MPI. Call this function once, when Python exits.
void end_world();

}  // namespace osteon::native
