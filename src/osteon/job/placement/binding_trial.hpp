#pragma once
/// @file
/// The work by which bindings are compared.
#include <mpi.h>

namespace osteon::job {

/// Seconds of an iteration of the heat solver on a solid block of some 40 MB a rank: more than a core's caches hold, so that
/// it lives on the memory and on its neighbours as a job does.
/// @return of this rank @collective on comm
double seconds_of_iteration(MPI_Comm comm);

}  // namespace osteon::job
