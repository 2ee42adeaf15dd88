#pragma once
/// @file
/// The plasticity of a failure job in the form of .inp files.
#include <optional>
#include <osteon/physics/elasticity/export/write_inp.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Plasticity of a failure job; none for other physics.
/// @throws usage_error if *PLASTIC is another law, or C3D8 another integration, than the job's, or the job gives a load,
/// whose displacements are computed step by step @collective local
std::optional<inp_plasticity> inp_plasticity_of(const spec& job, const voxel::material_table& materials);

}  // namespace osteon::physics
