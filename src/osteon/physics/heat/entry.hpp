#pragma once
/// @file
/// The table entry of physics = "heat", and its stage.
#include <mpi.h>

#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& heat();

/// Solve heat conduction: between two faces, under conditions on all faces, in all directions, or transient.
/// @collective on part.where.comm
physics_result run_heat(const spec& job, const local_model& part, const numerics::options& how, log_sink& log);

/// Check a heat job on its solid. @throws as run_heat @collective on part.where.comm
void check_heat_on(const spec& job, const local_model& part);

/// Seconds of an iteration of the heat solver on a solid block of about 40 MB per rank: larger than the caches of a core, so
/// that memory and neighbours limit it as in a job.
/// @return of this rank @collective on comm
double seconds_of_heat_iteration(MPI_Comm comm);

}  // namespace osteon::physics
