#pragma once
/// @file
/// Where the fluid of a job is.
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The voxels of the fluid: all active ones, or with others those of material 1. @collective local
voxel::run_set fluid_of(const spec& job, const local_model& part);

}  // namespace osteon::physics
