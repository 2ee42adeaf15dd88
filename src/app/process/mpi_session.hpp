#pragma once
/// @file
/// Commands that are collective: alone they are one rank, under a launcher one of many.
#include <mpi.h>

#include <functional>

namespace osteon::app {

/// Start MPI, call `body` on all ranks, end MPI. An error that all ranks throw is said by one of them.
/// @return the exit code of the program
int on_all_ranks(const std::function<void(MPI_Comm)>& body);

}  // namespace osteon::app
