#pragma once
/// @file
/// Entry of physics = "failure" in the table of physics, and stage of the solver.
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/failure/solver/failure.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& failure();

/// Compute the load-displacement curve of a specimen up to and after yield. @collective on part.where.comm
physics_result run_failure(const spec& job, const local_model& part, const numerics::options& options, log_sink& log);

/// Create a painter that displays the dissipated energy density. The result borrows the arguments. @collective on
/// part.where.comm
std::unique_ptr<frame_painter> paint_failure(const spec& job, const local_model& part);

}  // namespace osteon::physics
