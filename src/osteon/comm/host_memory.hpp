#pragma once
/// @file
/// Check that a host has enough memory for the next step of its ranks. The check is necessary because the system kills a
/// process without memory before the process can print a message.
#include <mpi.h>

#include <string>

namespace osteon::comm {

/// Number of bytes that this process can allocate without swapping. The limits of the system and of its container are taken
/// into account.
double available_memory();

/// Check the available memory. @param bytes_of_rank bytes that this rank is
/// about to allocate
/// @param what subject of the message @param advice remedy at the end of the message
/// @throws machine_error on all ranks if the ranks of a host need more memory than is available @collective on comm
void check_host_memory(MPI_Comm comm, double bytes_of_rank, const std::string& subject, const std::string& advice);

/// The same, also within the memory limit of the batch job on each host. The memory in use is that of the ranks.
/// @param bytes_of_rank must not be larger than the allocation, because batch systems often grant little more than needed
void check_job_memory(MPI_Comm comm, double bytes_of_rank, const std::string& subject, const std::string& advice);

}  // namespace osteon::comm
