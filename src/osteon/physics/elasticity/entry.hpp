#pragma once
/// @file
/// Entry of physics = "elasticity" in the table of physics, and its solver stages.
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& elasticity();

/// Solve the load cases of a job: a mechanical test, or supports and forces. @collective on part.where.comm
physics_result run_elasticity(const spec& job, const local_model& part, const numerics::options& options, log_sink& log);

/// Compute the effective stiffness tensor of a block of material from six mean strains. @collective on part.where.comm
physics_result run_homogenise(const spec& job, const local_model& part, const numerics::options& options, log_sink& log);

/// Check that the solid of a job permits a homogenisation. @throws as run_homogenise @collective on part.where.comm
void check_homogenise(const local_model& part, bool is_periodic);

}  // namespace osteon::physics
