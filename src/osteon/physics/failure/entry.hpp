#pragma once
/// @file
/// The table entry of physics = "failure", and its stage.
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/failure/solver/failure.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

const physics_entry& failure();

/// Load a specimen up to yield and beyond. @collective on part.where.comm
physics_result run_failure(const spec& job, const local_model& part, const numerics::options& how, log_sink& log);

/// Displays the energy dissipated by yielded voxels. Borrows both. @collective on part.where.comm
std::unique_ptr<frame_painter> paint_failure(const spec& job, const local_model& part);

}  // namespace osteon::physics
