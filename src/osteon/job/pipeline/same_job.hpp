#pragma once
/// @file
/// Check that all ranks of an MPI world have the same job.
#include <mpi.h>

#include <osteon/job/spec.hpp>

namespace osteon::job {

/// Compare the result keys and the output directory of each rank with those of rank 0. Without this check, one launcher
/// could start ranks with different jobs.
/// @throws usage_error on all ranks if the jobs differ @collective on comm
void require_same_job(MPI_Comm comm, const spec& job);

}  // namespace osteon::job
