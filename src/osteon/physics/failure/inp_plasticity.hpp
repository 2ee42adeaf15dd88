#pragma once
/// @file
/// The yield of a job of failure, as .inp has it.
#include <optional>
#include <osteon/physics/elasticity/export/write_inp.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// That of a job of failure; none of other physics.
/// @throws usage_error if *PLASTIC is another law, or C3D8 another integration, than the job's, or the job gives a load,
/// whose displacements are found step by step @collective local
std::optional<inp_plasticity> inp_plasticity_of(const spec& job, const voxel::material_table& materials);

}  // namespace osteon::physics
