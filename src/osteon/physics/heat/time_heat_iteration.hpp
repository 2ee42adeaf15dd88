#pragma once
/// @file
/// The time of an iteration of the heat solver, by which bindings of ranks to cores are compared.
#include <mpi.h>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Seconds of an iteration of the heat solver on a solid block of some 40 MB for each rank: larger than the caches of a
/// core, so that memory and neighbours limit it as they limit a job.
/// @return of this rank @collective on comm
double seconds_of_heat_iteration(MPI_Comm comm);

}  // namespace osteon::physics
