#pragma once
/// @file
/// Values that a job may have, but that are hardly meant: percent written as a fraction, moduli in Pa or GPa, strains for
/// which linear elasticity says nothing; and spellings of earlier versions. `osteon check` shows them as warnings.
#include <array>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/material.hpp>
#include <utility>

namespace osteon::job {

/// Of what stands in the job. @return `where` is the key
std::vector<problem> doubts(const spec& job);

/// Of what follows with the size of the image, z, y, x: displacements as strains, voxels of a metre.
std::vector<problem> doubts_of_size(const spec& job, const vector3& spacing_mm, index3 shape);

/// Of moduli that a density law or an image of moduli gives. @param materials of the model, [0] is empty space
std::vector<problem> doubts_of_moduli(const spec& job, const voxel::material_table& materials);

}  // namespace osteon::job
