#pragma once
/// @file
/// MPI in a process that no launcher started as a rank: begun when it is first needed.
#include <mpi.h>

namespace osteon::native {

/// The communicator of this process alone. MPI is begun unless it is already, by mpi4py for example.
/// @throws machine_error if it has ended
MPI_Comm world();

/// End MPI if we began it. To be called once, when Python ends.
void end_world();

}  // namespace osteon::native
