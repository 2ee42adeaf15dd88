#pragma once
/// @file
/// Fluid voxels of a job.
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The voxels of the fluid: all active ones, or material 1 if other voxels take part. @collective local
voxel::run_set fluid_of(const spec& job, const local_model& part);

}  // namespace osteon::physics
