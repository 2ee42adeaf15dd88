#pragma once
/// @file
/// Materials of voxels. A model stores the material number of each voxel; 0 is empty space.
#include <osteon/base/error.hpp>
#include <osteon/base/material_number.hpp>
#include <string>
#include <vector>

namespace osteon::voxel {

/// An isotropic, linear elastic, heat-conducting material.
struct material {
  std::string name;
  double youngs_modulus_MPa = 0;     ///< E > 0; 0 if not used (heat)
  double poisson_ratio = 0.3;        ///< -1 < nu < 0.5
  double conductivity_W_per_mK = 0;  ///< k > 0; 0 if not used (elasticity)
};

/// Materials of a model, indexed by voxel value; entry 0 is empty space without properties.
using material_table = std::vector<material>;

}  // namespace osteon::voxel
