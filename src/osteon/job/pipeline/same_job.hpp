#pragma once
/// @file
/// Check that all ranks of an MPI world have the same job.
#include <mpi.h>

#include <osteon/job/spec.hpp>

namespace osteon::job {

/// Compare the job of each rank with that of rank 0: the keys that affect its results, and the output directory as written.
/// Prevents processes of one launcher with different jobs from mixing them.
/// @throws usage_error on all ranks if they differ @collective on comm
void require_same_job(MPI_Comm comm, const spec& job);

}  // namespace osteon::job
