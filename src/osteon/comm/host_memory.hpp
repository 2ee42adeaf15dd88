#pragma once
/// @file
/// Whether a host has the memory for the next step of its ranks: a process that is killed for memory prints no message.
#include <mpi.h>

#include <string>

namespace osteon::comm {

/// Bytes that the system, and the container that this process is in, could give without swapping.
double available_memory();

/// @param bytes_of_rank that this rank is about to allocate
/// @param what takes it, as the beginning of a sentence, and what to do, as its end
/// @throws machine_error on all ranks if those of a host need more than it has to give @collective on comm
void check_host_memory(MPI_Comm comm, double bytes_of_rank, const std::string& what, const std::string& advice);

}  // namespace osteon::comm
