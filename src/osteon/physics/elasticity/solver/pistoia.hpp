#pragma once
/// @file
/// Effective strain of voxels, and the failure load derived from a linear analysis.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/voxel/material.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// Effective strain of each voxel, sqrt(2 SED / E). @cite [Pistoia2002]
/// @param material number of each voxel's material
/// @param sed strain energy density [MPa]; densities at voxel centres yield the effective strain of FAIM and ParOSol
/// @collective local
std::vector<float> effective_strain(const voxel::material_table& materials, std::span<const material_number> material,
                                    std::span<const float> sed);

struct pistoia_estimate {
  double factor = 0;          ///< factor on the load at failure; infinite if all strains are zero
  double failure_load_N = 0;  ///< with the sign of the load; NaN without strain and load
};

/// Estimate the failure load from a linear analysis. At failure, the effective strain exceeds `critical_strain` in the
/// fraction `critical_volume` of the bone volume. @cite [Pistoia2002]: `critical_volume` 2 % and `critical_strain` 0.007
/// @param load_N signed force, or a moment
/// @collective on comm
pistoia_estimate pistoia(MPI_Comm comm, std::span<const float> strain, double load_N, double critical_strain,
                         double critical_volume);

}  // namespace osteon::physics
