#pragma once
/// @file
/// The row of physics = "heat", and the stage that it runs.
#include <mpi.h>

#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& heat();

/// Heat conduction: between two faces, under conditions on all faces, in all directions, or in time. @collective on
/// part.where.comm
physics_result run_heat(const spec& job, const local_model& part, const numerics::options& how, log_sink& log);

/// The faults of a heat job on its solid. @throws as run_heat @collective on part.where.comm
void check_heat_on(const spec& job, const local_model& part);

/// Seconds of an iteration of the heat solver on a solid block of some 40 MB for each rank: larger than the caches of a
/// core, so that memory and neighbours limit it as they limit a job.
/// @return of this rank @collective on comm
double seconds_of_heat_iteration(MPI_Comm comm);

}  // namespace osteon::physics
