#pragma once
/// @file
/// The check that all ranks of an MPI world were given one job.
#include <mpi.h>

#include <osteon/job/spec.hpp>

namespace osteon::job {

/// Compare the job of each rank with that of rank 0: the keys that its results depend on, and the output directory as it is
/// written. Processes of one launcher that were each given a job of their own would otherwise mix them.
/// @throws usage_error on all ranks if they differ @collective on comm
void require_same_job(MPI_Comm comm, const spec& job);

}  // namespace osteon::job
