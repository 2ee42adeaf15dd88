#pragma once
/// @file
/// Check that a host has enough memory for the next step of its ranks: a process killed for memory prints no message.
#include <mpi.h>

#include <string>

namespace osteon::comm {

/// Bytes available from the system and the container of this process without swapping.
double available_memory();

/// @param bytes_of_rank bytes that this rank is about to allocate
/// @param what subject of the message @param advice remedy at its end
/// @throws machine_error on all ranks if the ranks of a host need more memory than is available @collective on comm
void check_host_memory(MPI_Comm comm, double bytes_of_rank, const std::string& what, const std::string& advice);

}  // namespace osteon::comm
