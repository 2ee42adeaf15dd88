#pragma once
/// @file
/// What the voxels are made of. A model stores for each voxel the number of its material; 0 is empty space.
#include <osteon/base/error.hpp>
#include <osteon/base/material_number.hpp>
#include <string>
#include <vector>

namespace osteon::voxel {

/// A linear elastic, heat conducting, isotropic material.
struct material {
  std::string name;
  double youngs_modulus_MPa = 0;     ///< E > 0; 0 where it is not used (heat)
  double poisson_ratio = 0.3;        ///< -1 < nu < 0.5
  double conductivity_W_per_mK = 0;  ///< k > 0; 0 where it is not used (elasticity)
};

/// The materials of a model, indexed by the value of a voxel; entry 0 is empty space and has no properties.
using material_table = std::vector<material>;

}  // namespace osteon::voxel
