#pragma once
/// @file
/// Effective strain of the voxels, and the failure load of a linear analysis that follows from it.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/voxel/material.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// Effective strain of each voxel, sqrt(2 SED / E). @cite [Pistoia2002]
/// @param material number of each voxel's material
/// @param sed strain energy density [MPa]; at the voxels' centres it is the effective strain of FAIM and ParOSol
/// @collective local
std::vector<float> effective_strain(const voxel::material_table& materials, std::span<const material_number> material,
                                    std::span<const float> sed);

struct pistoia_estimate {
  double factor = 0;          ///< by which the load may be multiplied until failure; infinite if no voxel is strained
  double failure_load_N = 0;  ///< has the sign of the load; not a number if neither strain nor load exists
};

/// Failure load of a linear analysis: the bone fails when `critical_volume` of it is strained beyond `critical_strain`.
/// @cite [Pistoia2002]: 2 % and 0.007
/// @param load_N with its sign, or a moment
/// @collective on comm
pistoia_estimate pistoia(MPI_Comm comm, std::span<const float> strain, double load_N, double critical_strain,
                         double critical_volume);

}  // namespace osteon::physics
