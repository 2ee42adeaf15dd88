#pragma once
/// @file
/// Conversion of the plasticity of a failure job to .inp files.
#include <optional>
#include <osteon/physics/elasticity/export/write_inp.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Return the plasticity of a failure job. The result is empty for other physics.
/// @throws usage_error if *PLASTIC does not support the law, if C3D8 does not support the integration, or if the job
/// prescribes a force or a moment @collective local
std::optional<inp_plasticity> inp_plasticity_of(const spec& job, const voxel::material_table& materials);

}  // namespace osteon::physics
