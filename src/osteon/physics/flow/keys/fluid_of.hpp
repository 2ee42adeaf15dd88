#pragma once
/// @file
/// Fluid voxels of a job.
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Fluid voxels of a job. The fluid consists of all active voxels, or of material 1 if the job has solid voxels. @collective
/// local
voxel::run_set fluid_of(const spec& job, const local_model& part);

}  // namespace osteon::physics
