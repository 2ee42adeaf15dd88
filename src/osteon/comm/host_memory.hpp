#pragma once
/// @file
/// Check that a host has enough memory for the next step of its ranks. The check is necessary because a process that is
/// killed for lack of memory cannot print a message.
#include <mpi.h>

#include <string>

namespace osteon::comm {

/// Bytes that this process can allocate without swapping, within the limits of the system and of its container.
double available_memory();

/// Check the available memory. @param bytes_of_rank bytes that this rank is about to allocate
/// @param what subject of the message @param advice remedy at the end of the message
/// @throws machine_error on all ranks if the ranks of a host need more memory than is available @collective on comm
void check_host_memory(MPI_Comm comm, double bytes_of_rank, const std::string& subject, const std::string& advice);

}  // namespace osteon::comm
