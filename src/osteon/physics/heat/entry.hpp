#pragma once
/// @file
/// Entry of physics = "heat" in the table of physics, and stage of the solver.
#include <mpi.h>

#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& heat();

/// Solve the heat problem of a job. The problem is conduction between two faces, boundary conditions on all faces, the
/// conductivity tensor, or transient conduction.
/// @collective on part.where.comm
physics_result run_heat(const spec& job, const local_model& part, const numerics::options& options, log_sink& log);

/// Check a heat job on its solid. @throws errors of run_heat @collective on part.where.comm
void check_heat_on(const spec& job, const local_model& part);

/// Measure the duration of an iteration of the heat solver on a solid block with about 40 MB per rank. The block is larger
/// than the caches of a core. As in a job, memory and communication therefore limit the speed.
/// @return duration in s on this rank @collective on comm
double seconds_of_heat_iteration(MPI_Comm comm);

}  // namespace osteon::physics
